import { DAY_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { type WindowPlan } from './window-plan.ts'
import { DOWN } from '../results/outcome-code.ts'
import { type CheckQuery, windowParts, readWithStale } from './store.ts'

/** Part of a monitor's days. */
export type UptimePart = DaysPart | SinglePart | RawPart
/** All days before the last ones, each as day since the epoch, checks and failed checks. */
interface DaysPart {
  kind: 'days'
  monitor: number
  numbers: [day: number, checks: number, failed: number][]
}
/** One of the last days with its sketch, or an hour with its block. */
interface SinglePart {
  kind: 'day' | 'hour'
  monitor: number
  /** Days or hours since the epoch. */
  unit: number
  checks: number
  failed: number
  data: Buffer
}
/** Single checks of a day, with their response times in µs. */
interface RawPart {
  kind: 'checks'
  monitor: number
  unit: number
  checks: number
  failed: number
  numbers: number[] | null
}

/** The parts from one snapshot, unordered, with response times from `lastDay` on; monitors without checks are absent. */
export function readUptimeParts(db: Db, query: CheckQuery, cut: WindowPlan, lastDay: number): Promise<UptimePart[]> {
  return readWithStale(async (withStale) => {
    const rows = await readRows(db, query, cut, lastDay, withStale)
    const parts = rows.filter((row): row is UptimePart => row.kind !== 'stale')
    return { isWhole: parts.length === rows.length, result: parts }
  })
}

async function readRows(
  db: Db,
  query: CheckQuery,
  cut: WindowPlan,
  lastDay: number,
  withStale: boolean,
): Promise<(UptimePart | { kind: 'stale' })[]> {
  const day = sql`(day - date '1970-01-01')`
  const last = sql`${new Date(lastDay * DAY_MS).toISOString().slice(0, 10)}::date`
  // One row per part, with arrays instead of many rows: most of the time is spent on transferring rows.
  const { rows } = await sql<UptimePart>`
    with ${windowParts(query, cut, withStale)}
    select monitor, 'days' as kind, null::int as unit, null::int as checks, null::int as failed,
      array_agg(array[${day}, checks, failed]) as numbers, null::bytea as data
    from days where day < ${last} group by monitor
    union all
    select monitor, 'day', ${day}, checks, failed, null, sketch from days where day >= ${last}
    union all
    select monitor, 'hour', hour, checks, failed, null, data from hours
    union all
    select monitor, 'checks', unit, count(*)::int, count(*) filter (where outcome = ${sql.lit(DOWN)})::int,
      array_agg(response_us) filter (where response_us is not null), null
    from (select monitor, (at / ${sql.lit(DAY_MS)})::int as unit, outcome, response_us from checks) as single
    group by monitor, unit
    ${withStale ? sql`` : sql`union all (select 0, 'stale', null, null, null, null, null from stale limit 1)`}`.execute(db)
  return rows
}
