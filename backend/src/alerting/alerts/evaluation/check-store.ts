import { UNWATCHED_STATUSES } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import { queryByOrganization, type Db, literals, SLICES, type Slices } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'

export interface CheckedMonitor {
  organization: number
  monitor: number
  id: string
  name: string
  tags: string[]
  /** Time of its newest check, ms. */
  last_checked_at: number
  interval_seconds: number
  /** The first expiry of the certificates that its regions saw, ms. */
  certificate_expires_at: number | null
}

/**
 * Monitors of these organizations and slices that are neither paused nor idle and were checked after `sinceMs`, and all of the organizations that have a
 * new rule. In the order of creation, which is then the order of incidents of one instant.
 */
export async function listCheckedMonitors(
  db: Db,
  organizations: readonly number[],
  sinceMs: number,
  withNewRules: readonly number[],
  { ids }: Slices,
): Promise<CheckedMonitor[]> {
  const { rows } = await sql<CheckedMonitor>`
    select m.organization, m.number as monitor, m.id, m.name, m.tags, m.interval_seconds,
      max(s.last_checked_at) as last_checked_at, min(s.certificate_expires_at) as certificate_expires_at
    from check_schedule as s
    join monitor as m on m.organization = s.organization and m.number = s.monitor
    join monitor_status as t on t.organization = s.organization and t.monitor = s.monitor and t.status not in (${literals(UNWATCHED_STATUSES)})
    where s.organization = any(${organizations}::int[]) and s.monitor % ${SLICES}::int = any(${ids}::int[])
    group by m.organization, m.id
    having max(s.last_checked_at) > ${sinceMs} or (max(s.last_checked_at) is not null
      and m.organization = any(${withNewRules}::int[]))
    order by m.organization, m.number`.execute(db)
  return rows
}

/** Which figures of the checks of a monitor a rule needs. */
export interface FigureQuery {
  /** `response_ms`, or the name of a fact. */
  metric: string
  organization: number
  monitor: number
  /** The mean over this time up to the newest check; 0: the newest check of each region. */
  forSeconds: number
  lastCheckedAtMs: number
  intervalSeconds: number
}

export interface Figures {
  /** Minimum and maximum; of a mean both are the mean. Null without a check that has the figure. */
  least: number | null
  greatest: number | null
}

/** A text of a target under the name of a number is none. */
const numberOf = (fact: RawBuilder<unknown>) =>
  sql`case when jsonb_typeof(c.facts -> ${fact}) = 'number' then (c.facts ->> ${fact})::float8 end`
/** The figure of a check `c` that a query `q` needs. Runs of a job beyond 35 minutes have their time in a fact alone. */
export const FIGURE = sql`case when q.metric = 'response_ms'
  then coalesce(c.response_us / 1000.0, 1000 * ${numberOf(sql`'duration'`)}) else ${numberOf(sql`q.metric`)} end`

/** The newest check of a region counts for this many intervals. */
const NEWEST_WITHIN = 3

/** In the order of the queries; a mean is null where the checks do not cover the time. Undefined where their node is away. */
export async function readFigures(db: Db, queries: readonly FigureQuery[]): Promise<(Figures | undefined)[]> {
  if (queries.length === 0) return []
  return queryByOrganization(db, queries, queryFigures)
}

async function queryFigures(db: Db, queries: readonly FigureQuery[], one: number | undefined): Promise<Figures[]> {
  const organization = one === undefined ? sql`q.organization` : sql`${one}`
  const column = <T>(pick: (query: FigureQuery) => T) => queries.map(pick)
  const fromMs = ({ forSeconds, lastCheckedAtMs, intervalSeconds }: FigureQuery) =>
    lastCheckedAtMs - 1000 * (forSeconds || NEWEST_WITHIN * intervalSeconds)
  const { rows } = await sql<Figures>`
    select answer.least, answer.greatest
    from unnest(${column((one) => one.metric)}::text[], ${column((one) => one.organization)}::int[], ${column((one) => one.monitor)}::int[],
      ${column((one) => one.forSeconds)}::int[], ${column(fromMs)}::bigint[], ${column((one) => one.lastCheckedAtMs)}::bigint[],
      ${column((one) => one.intervalSeconds)}::int[], ${column((one) => dayOf(fromMs(one)))}::date[],
      ${column((one) => dayOf(one.lastCheckedAtMs))}::date[])
      with ordinality as q (metric, organization, monitor, for_seconds, from_ms, to_ms, interval_seconds, from_day, to_day, n)
    cross join lateral (
      select case when q.for_seconds = 0 then min(newest) else mean end as least,
        case when q.for_seconds = 0 then max(newest) else mean end as greatest
      from (
        select case when at = max(at) over (partition by region) then figure end::float8 as newest,
          -- Checked for as long, but for an interval, and half a one that a check may be late.
          case when min(at) over () <= q.from_ms + q.interval_seconds * 1500::bigint
            then (avg(figure) over ())::float8 end as mean
        from check_result as c cross join lateral (select ${FIGURE} as figure) as f
        where c.organization = ${organization} and c.monitor = q.monitor and c.at > q.from_ms and c.at <= q.to_ms
          and c.day between q.from_day and q.to_day and c.outcome <> 3
      ) as checks
      group by mean
      union all
      select null, null
      limit 1
    ) as answer
    order by q.n`.execute(db)
  return rows
}
