import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { type Cut, DAY_MS, HOUR_MS } from './cut.ts'
import { type CheckQuery, DOWN, partsOf, readFresh } from './store.ts'

/** What many monitors' days add up to, and their response times since `timesFromDay`. */
export interface UptimePart {
  monitor: number
  /** `days`: counts of each day that has any. `sketch`, `hour`, `times`: response times of a day, an hour, of single checks. */
  kind: 'days' | 'sketch' | 'hour' | 'times'
  /** Days since the epoch; of an hour the hours since then; null of the rest. */
  units: number[] | null
  checks: number[] | null
  failed: number[] | null
  timesUs: number[] | null
  /** Sketch of a day, block of an hour. */
  data: Buffer | null
}

const HOURS_A_DAY = DAY_MS / HOUR_MS

/** The parts of one instant, in no order; monitors without checks have none. */
export function readUptimeParts(db: Db, query: CheckQuery, cut: Cut, timesFromDay: number): Promise<UptimePart[]> {
  return readFresh(async (withStale) => {
    const rows = await readRows(db, query, cut, timesFromDay, withStale)
    const parts = rows.filter((row): row is UptimePart => row.kind !== 'stale')
    return { isWhole: parts.length === rows.length, result: parts }
  })
}

async function readRows(
  db: Db,
  query: CheckQuery,
  cut: Cut,
  timesFromDay: number,
  withStale: boolean,
): Promise<(UptimePart | (Omit<UptimePart, 'kind'> & { kind: 'stale' }))[]> {
  const day = sql`(day - date '1970-01-01')`
  const { rows } = await sql<UptimePart>`
    with ${partsOf(query, cut, withStale)},
    counted as (
      select monitor, unit, sum(checks)::int as checks, sum(failed)::int as failed
      from (
        select monitor, ${day} as unit, checks, failed from days
        union all select monitor, hour / ${sql.lit(HOURS_A_DAY)}, checks, failed from hours
        union all select monitor, (at / ${sql.lit(DAY_MS)})::int, 1, (outcome = ${sql.lit(DOWN)})::int from checks
      ) as part
      group by monitor, unit
    )
    select monitor, 'days' as kind, array_agg(unit) as units, array_agg(checks) as checks, array_agg(failed) as failed,
      null::int[] as "timesUs", null::bytea as data
    from counted group by monitor
    union all
    select monitor, 'sketch', null, null, null, null, sketch from days where ${day} >= ${timesFromDay}::int
    union all
    select monitor, 'hour', array[hour], null, null, null, data from hours where hour >= ${timesFromDay * HOURS_A_DAY}::int
    union all
    select monitor, 'times', null, null, null, array_agg(response_us), null from checks
    where response_us is not null and at >= ${timesFromDay * DAY_MS}::bigint
    group by monitor
    ${withStale ? sql`` : sql`union all (select 0, 'stale', null, null, null, null, null from stale limit 1)`}`.execute(db)
  return rows
}
