import type { Db, TableRow } from '../../platform/db/index.ts'

/** All of a monitor. */
export const listIntervals = (
  db: Db,
  organization: number,
  monitor: number,
): Promise<Pick<TableRow<'reclassification'>, 'id' | 'from_at' | 'to_at'>[]> =>
  db
    .selectFrom('reclassification')
    .select(['id', 'from_at', 'to_at'])
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .execute()

export async function insertReclassification(db: Db, row: TableRow<'reclassification'>): Promise<void> {
  await db.insertInto('reclassification').values(row).execute()
}

export async function deleteReclassification(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('reclassification').where('organization', '=', organization).where('id', '=', id).execute()
}

/** Of all organizations. */
export async function deleteEndedBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('reclassification').where('to_at', '<', before).execute()
}
