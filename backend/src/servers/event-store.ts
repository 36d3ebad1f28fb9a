import type { Db } from '../platform/db/index.ts'

/** What happened to a server, for whoever listens. */
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

/** Whether this kind of event was stored of the subject since then. */
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
