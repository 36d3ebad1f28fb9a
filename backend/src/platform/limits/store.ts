import type { Pool } from '../db/index.ts'
import type { Answer } from './account.ts'

/** What an instance adds to the row of one credential and group. */
export interface Count {
  subject: string
  minute: number
  /** Requests, those taken beyond need included. */
  used: number
  /** Change of what is held beyond need: what is taken now less what was taken before. */
  held: number
  /** Taken beyond need. The row gives all of it or none. */
  extra: number
}

/** What instances share. */
export interface LimitStore {
  /**
   * Adds each count to its row in its minute and gives the rows as they are then, in the order asked. A row of the minute
   * after (an instance whose reckoning of the clock is a little ahead opened it) is counted up as it is; of any other
   * minute it begins anew. What is beyond need is given only while all hold no more of it than `lease`: who asks knows what the others
   * hold from an earlier answer. `counts` name each subject once, sorted: two instances take the locks in one order.
   */
  add(counts: readonly Count[], lease: number): Promise<Answer[]>
  /** Says that this instance is there, and gives how many were seen since, itself included. */
  announce(instance: string, nowMs: number, sinceMs: number): Promise<number>
  leave(instance: string): Promise<void>
  /** Removes what no instance has counted in since before this minute. */
  removeBefore(minute: number): Promise<void>
}

const SAME_MINUTE = 'kept.minute - excluded.minute in (0, 1)'
const FITS = 'kept.held + excluded.held <= $6::int4'
// No clock in the statement: times are given, and where a minute ends is decided in one place.
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
  'select * from unnest($1::uuid[], $2::int4[], $3::int4[], $4::int4[], $5::int4[]) as asked (subject, minute, used, held, given)',
)

const ANNOUNCE = `
with announced as (
  insert into rate_limit_instance (id, seen_at_ms) values ($1, $2) on conflict (id) do update set seen_at_ms = excluded.seen_at_ms
), gone as (
  delete from rate_limit_instance
  where id in (select id from rate_limit_instance where seen_at_ms <= $3 and id <> $1 for update skip locked)
)
select count(*)::int4 + 1 as instances from rate_limit_instance where seen_at_ms > $3 and id <> $1`

// What is locked is being counted in: passing it by, this waits for nobody and nobody can wait in a circle.
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
      // Alone it is the usual case, and costs a third less to plan and to run.
      const [one] = counts.length === 1 ? counts : []
      const { rows } = await pool.kept.query<[number, number, number, number]>(
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
