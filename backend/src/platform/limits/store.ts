import type { Pool } from '../db/index.ts'
import type { Answer } from './account.ts'

/** What an instance adds to the row of one credential and group. */
export interface Count {
  subject: string
  minute: number
  /** Requests, including those taken beyond need. */
  used: number
  /** Change of what is held beyond need: what is taken now minus what was taken before. */
  held: number
  /** Taken beyond need. The row gives all of it or none. */
  extra: number
}

/** The rows that all instances share. */
export interface LimitStore {
  /**
   * Adds each count to its row and returns the updated rows in the order of `counts`. A row of the next minute, opened by an
   * instance whose clock is slightly ahead, is increased; a row of any other minute restarts at zero. Requests beyond need are
   * given only while all instances hold at most `lease` of them: a caller knows what the others hold from an earlier answer.
   * `counts` contain each subject once, sorted: all instances lock the rows in one order.
   */
  add(counts: readonly Count[], lease: number): Promise<Answer[]>
  /** Records that this instance runs, and returns how many were seen since `sinceMs`, including this one. */
  announce(instance: string, nowMs: number, sinceMs: number): Promise<number>
  leave(instance: string): Promise<void>
  /** Deletes the rows of earlier minutes. */
  removeBefore(minute: number): Promise<void>
}

const SAME_MINUTE = 'kept.minute - excluded.minute in (0, 1)'
const FITS = 'kept.held + excluded.held <= $6::int4'
// Times are parameters, so that one place decides where a minute ends.
const adding = (source: string): string => `
insert into rate_limit as kept (subject, minute, used, held, given)
${source}
on conflict (subject) do update set
  minute = case when ${SAME_MINUTE} then kept.minute else excluded.minute end,
  used = case when not ${SAME_MINUTE} then excluded.used when ${FITS} then kept.used + excluded.used
    else kept.used + excluded.used - excluded.given end,
  held = case when not ${SAME_MINUTE} then excluded.held when ${FITS} then kept.held + excluded.held
    else kept.held + excluded.held - excluded.given end,
  given = case when ${SAME_MINUTE} and not ${FITS} then 0 else excluded.given end
returning minute, used, held, given`

const ADD_ONE = adding('values ($1::uuid, $2::int4, $3::int4, $4::int4, $5::int4)')
const ADD_MANY = adding(
  'select * from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int4[], $5::int4[]) as request (subject, minute, used, held, given)',
)

const ANNOUNCE = `
with announced as (
  insert into rate_limit_instance (id, seen_at_ms) values ($1, $2) on conflict (id) do update set seen_at_ms = excluded.seen_at_ms
), gone as (
  delete from rate_limit_instance
  where id in (select id from rate_limit_instance where seen_at_ms <= $3 and id <> $1 for update skip locked)
)
select count(*)::int4 + 1 as instances from rate_limit_instance where seen_at_ms > $3 and id <> $1`

// Locked rows are in use; skipping them prevents waits and deadlocks.
const REMOVE = `
delete from rate_limit where subject in (select subject from rate_limit where minute < $1 for update skip locked)`

const columnsOf = (counts: readonly Count[]): unknown[][] => [
  counts.map(({ subject }) => subject),
  counts.map(({ minute }) => minute),
  counts.map(({ used }) => used),
  counts.map(({ held }) => held),
  counts.map(({ extra }) => extra),
]

export function createLimitStore(pool: Pool): LimitStore {
  const statement = (name: string, text: string) => ({
    ...(pool.namedStatements ? { name } : {}),
    text,
    rowMode: 'array' as const,
  })
  const [addOne, addMany] = [statement('add_limit', ADD_ONE), statement('add_limits', ADD_MANY)]
  return {
    add: async (counts, lease) => {
      // A single count is the usual case, and this form costs a third less to plan and to run.
      const [one] = counts.length === 1 ? counts : []
      const { rows } = await pool.dedicated.query<[number, number, number, number]>(
        one ? addOne : addMany,
        one ? [one.subject, one.minute, one.used, one.held, one.extra, lease] : [...columnsOf(counts), lease],
      )
      return rows.map(([minute, used, held, given]) => ({ minute, used, held, given }))
    },
    announce: async (instance, nowMs, sinceMs) => {
      const { rows } = await pool.pg.query<{ instances: number }>(ANNOUNCE, [instance, Math.round(nowMs), Math.round(sinceMs)])
      return rows[0]?.instances ?? 1
    },
    leave: async (instance) => void (await pool.pg.query('delete from rate_limit_instance where id = $1', [instance])),
    removeBefore: async (minute) => void (await pool.pg.query(REMOVE, [minute])),
  }
}

/** The time of the database, ms. */
export async function readDatabaseTime(pool: Pool): Promise<number> {
  const { rows } = await pool.pg.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  return rows[0]?.ms as number
}
