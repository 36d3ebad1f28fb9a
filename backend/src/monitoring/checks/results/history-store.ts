import type { RegionState } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db, PageRequest, TableRow } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** A stored check with the id of its region; durations in µs, `at` in ms. */
export type CheckRow = Omit<TableRow<'check_result'>, 'organization' | 'region' | 'day' | 'delayed'> & { region: string }

const COLUMNS = sql.raw(
  'monitor, at, outcome, status_code, response_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, error_code, error_message, address, facts',
)

/** The newest checks of each monitor, newest first, at most `limit` each. */
export async function readRecentChecks(
  db: Db,
  organization: number,
  monitors: readonly number[],
  limit: number,
): Promise<CheckRow[]> {
  const { rows } = await sql<CheckRow>`
    select recent.*, region.id as region
    from unnest(${monitors}::int[]) as given (number)
    cross join lateral (
      select ${COLUMNS}, region as number from check_result
      where organization = ${organization} and monitor = given.number
      order by at desc, region desc limit ${limit}
    ) as recent
    join region on region.number = recent.number
    order by monitor, at desc, recent.number desc`.execute(db)
  return rows
}

export interface CheckFilter {
  /** Instants [from, to), ms. */
  fromMs: number | undefined
  toMs: number | undefined
  region: number | undefined
  outcome: number | undefined
}

/** One page of a monitor's checks, newest first, and the total, both of one snapshot. */
export async function listChecks(
  db: Db,
  organization: number,
  monitor: number,
  filter: CheckFilter,
  { page, limit }: PageRequest,
): Promise<{ total: number; rows: CheckRow[] }> {
  const matching = sql`from check_result where organization = ${organization} and monitor = ${monitor} and ${within(filter)}`
  // The condition is repeated because a common table expression would materialize a month of checks for one page.
  const { rows } = await sql<CheckRow & { total: number }>`
    select counted.total, item.*, region.id as region
    from (select count(*) as total ${matching}) as counted
    left join lateral (
      select ${COLUMNS}, region as number ${matching}
      order by at desc, region desc limit ${limit} offset ${(page - 1) * limit}
    ) as item on true
    left join region on region.number = item.number
    order by at desc, item.number desc`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ at }) => at !== null) }
}

/** Adds the days to the instants, so that Postgres skips the other partitions. */
function within({ fromMs, toMs, region, outcome }: CheckFilter) {
  const conditions = [sql`true`]
  if (fromMs !== undefined) conditions.push(sql`at >= ${fromMs} and day >= ${dayOf(fromMs)}`)
  if (toMs !== undefined) conditions.push(sql`at < ${toMs} and day <= ${dayOf(toMs)}`)
  if (region !== undefined) conditions.push(sql`region = ${region}`)
  if (outcome !== undefined) conditions.push(sql`outcome = ${outcome}`)
  return sql.join(conditions, sql` and `)
}

export interface ScheduleSummary {
  monitor: number
  /** The newest of all regions, ms. */
  last_checked_at: number | null
  /** The earliest among the regions, ms. */
  certificate_expires_at: number | null
}

/** Summarizes the schedule of each monitor over its regions. */
export async function readScheduleSummaries(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<ScheduleSummary[]> {
  return db
    .selectFrom('check_schedule')
    .select('monitor')
    .select((eb) => [
      eb.fn.max('last_checked_at').as('last_checked_at'),
      eb.fn.min('certificate_expires_at').as('certificate_expires_at'),
    ])
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .groupBy('monitor')
    .execute()
}

export interface RegionStateRow {
  monitor: number
  /** Id of the region. */
  region: string
  state: RegionState | null
  /** ms. */
  lastConclusiveAtMs: number | null
}

/** The confirmed state of each region of each monitor, unordered. */
export function readRegionStates(db: Db, organization: number, monitors: readonly number[]): Promise<RegionStateRow[]> {
  return (
    db
      .selectFrom('check_schedule')
      .innerJoin('region', 'region.number', 'check_schedule.region')
      .select(['monitor', 'region.id as region', 'state', 'last_conclusive_at as lastConclusiveAtMs'])
      .where('organization', '=', organization)
      // As one parameter: the text of the statement stays the same.
      .where('monitor', '=', sql<number>`any(${monitors}::int4[])`)
      .execute()
  )
}
