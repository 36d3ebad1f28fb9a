import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

export interface KnownOrigin {
  /** A user or an API key. */
  subjectId: string
  kind: 'network' | 'user_agent'
  value: string
}

/** Remembers these and returns the ones that were not known; what two callers store at once is new to one of them. */
export async function insertOrigins(db: Db, origins: readonly KnownOrigin[], at: Date): Promise<KnownOrigin[]> {
  if (origins.length === 0) return []
  const rows = await db
    .insertInto('known_origin')
    .values(origins.map(({ subjectId, kind, value }) => ({ subject_id: subjectId, kind, value, first_used_at: at })))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['subject_id', 'kind', 'value'])
    .execute()
  return rows.map(({ subject_id: subjectId, kind, value }) => ({ subjectId, kind, value }))
}

export async function hasOrigins(db: Db, subjectId: string): Promise<boolean> {
  const row = await db.selectFrom('known_origin').select('kind').where('subject_id', '=', subjectId).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Keeps the newest of each kind. */
export async function deleteExcessOrigins(db: Db, subjectIds: readonly string[], keep: number): Promise<void> {
  await sql`
    delete from known_origin where (subject_id, kind, value) in (
      select subject_id, kind, value from (
        select subject_id, kind, value,
          row_number() over (partition by subject_id, kind order by first_used_at desc, value) as place
        from known_origin where subject_id = any(${subjectIds}::uuid[])
      ) as ranked where place > ${keep}
    )`.execute(db)
}

export async function deleteOriginsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('known_origin').where('first_used_at', '<', before).execute()
}
