import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

const NAME = 'open_problems'

export interface OpenProblem {
  message: string
  /** ISO 8601. */
  since: string
  /** Whether it has lasted long enough to be one. */
  isOpen: boolean
}

/** The problems by kind, also those that are not open yet, locked until the transaction ends. */
export async function lockOpenProblems(db: Db, at: Date): Promise<Record<string, OpenProblem>> {
  await db
    .insertInto('setting')
    .values({ name: NAME, value: '{}', updated_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).forUpdate().executeTakeFirstOrThrow()
  return row.value as Record<string, OpenProblem>
}

/** The kinds of the open problems. */
export async function readOpenProblems(db: Db): Promise<string[]> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst()
  const problems = Object.entries((row?.value ?? {}) as Record<string, OpenProblem>)
  return problems.filter(([, { isOpen }]) => isOpen).map(([kind]) => kind)
}

export async function putOpenProblems(db: Db, problems: Record<string, OpenProblem>, at: Date): Promise<void> {
  await db
    .updateTable('setting')
    .set({ value: JSON.stringify(problems), updated_at: at })
    .where('name', '=', NAME)
    .execute()
}

/** How many checks of the installation were due before an instant and are in nobody's hands, and their regions. */
export async function readOverdue(db: Db, dueBeforeMs: number): Promise<{ checks: number; regions: string[] }> {
  const { rows } = await sql<{ checks: number; region: string }>`
    select count(*)::int as checks, r.id as region from check_schedule as s join region as r on r.number = s.region
    where s.due_at < ${dueBeforeMs} and s.lease_until < ${dueBeforeMs} group by r.id order by r.id`.execute(db)
  return { checks: rows.reduce((sum, { checks }) => sum + checks, 0), regions: rows.map(({ region }) => region) }
}

/** Deliveries of notifications and mails that failed at least that many times and are still retried. */
export async function readFailing(db: Db, attempts: number): Promise<{ deliveries: number; channels: number; mails: number }> {
  const { rows } = await sql<{ deliveries: number; channels: number; mails: number }>`
    select count(*)::int as deliveries, count(distinct lane)::int as channels,
      (select count(*)::int from mail_outbox where attempts >= ${attempts}) as mails
    from notification_delivery where attempts >= ${attempts}`.execute(db)
  return rows[0] ?? { deliveries: 0, channels: 0, mails: 0 }
}
