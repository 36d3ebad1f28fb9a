import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Stores an event about a server for its subscribers. */
export async function insertEvent(
  db: Db,
  organization: number,
  event: { id: string; type: string; subjectId: string; details: object },
  at: Date,
): Promise<void> {
  const { id, type, subjectId, details } = event
  await db
    .insertInto('event')
    .values({ organization, id, at, type, subject_id: subjectId, details: JSON.stringify(details) })
    .execute()
}

/** Whether an event of this type is stored for the subject after `since`. */
export async function hasRecentEvent(
  db: Db,
  organization: number,
  event: { type: string; subjectId: string },
  since: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('event')
    .select('id')
    .where('organization', '=', organization)
    .where('type', '=', event.type)
    .where('subject_id', '=', event.subjectId)
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Changes details of an event of this type that is stored for the subject after `since`; false where there is none. */
export async function changeRecentEvent(
  db: Db,
  organization: number,
  { type, subjectId, details }: { type: string; subjectId: string; details: object },
  since: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('event')
    .set({ details: sql`details || ${JSON.stringify(details)}::jsonb` })
    .where('organization', '=', organization)
    .where('type', '=', type)
    .where('subject_id', '=', subjectId)
    .where('at', '>', since)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
