import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** What the installation does of the operator's: the organization that was made first. Undefined before there is one. */
export async function findOperator(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('organization').select('number').orderBy('number').limit(1).executeTakeFirst()
  return row?.number
}

const NAME = 'own_health'

/** A problem that stands, by its kind. */
export interface Standing {
  message: string
  /** ISO 8601. */
  since: string
}

/** The problems that were told, locked until the transaction ends. */
export async function lockStanding(db: Db, at: Date): Promise<Record<string, Standing>> {
  await db
    .insertInto('setting')
    .values({ name: NAME, value: '{}', updated_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).forUpdate().executeTakeFirstOrThrow()
  return row.value as Record<string, Standing>
}

/** The problems that stand, by their kinds. */
export async function readStanding(db: Db): Promise<Record<string, Standing>> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst()
  return (row?.value ?? {}) as Record<string, Standing>
}

export async function putStanding(db: Db, standing: Record<string, Standing>, at: Date): Promise<void> {
  await db
    .updateTable('setting')
    .set({ value: JSON.stringify(standing), updated_at: at })
    .where('name', '=', NAME)
    .execute()
}

/** Checks of the whole installation that nobody has made so long after they were due, and the places where. */
export async function readOverdue(db: Db, dueBeforeMs: number): Promise<{ checks: number; regions: string[] }> {
  const { rows } = await sql<{ checks: number; region: string }>`
    select count(*)::int as checks, r.id as region from check_schedule as s join region as r on r.number = s.region
    where s.due_at < ${dueBeforeMs} and s.lease_until < ${dueBeforeMs} group by r.id order by r.id`.execute(db)
  return { checks: rows.reduce((sum, { checks }) => sum + checks, 0), regions: rows.map(({ region }) => region) }
}

/** Tellings and mails that failed so often, and are tried on. */
export async function readFailing(db: Db, tries: number): Promise<{ tellings: number; channels: number; mails: number }> {
  const { rows } = await sql<{ tellings: number; channels: number; mails: number }>`
    select count(*)::int as tellings, count(distinct channel_id)::int as channels,
      (select count(*)::int from mail_outbox where tries >= ${tries}) as mails
    from telling where tries >= ${tries}`.execute(db)
  return rows[0] ?? { tellings: 0, channels: 0, mails: 0 }
}
