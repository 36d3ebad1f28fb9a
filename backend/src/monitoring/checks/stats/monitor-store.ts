import type { Db } from '../../../platform/db/index.ts'

/** What stats need of a monitor; undefined across organizations. */
export async function findMonitor(
  db: Db,
  organization: number,
  id: string,
): Promise<{ number: number; type: string; intervalSeconds: number } | undefined> {
  return db
    .selectFrom('monitor')
    .select(['number', 'type', 'interval_seconds as intervalSeconds'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** All regions of the installation, with their surrogates. */
export function listRegions(db: Db): Promise<{ number: number; id: string }[]> {
  return db.selectFrom('region').select(['number', 'id']).execute()
}
