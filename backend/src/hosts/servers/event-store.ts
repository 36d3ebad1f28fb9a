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
