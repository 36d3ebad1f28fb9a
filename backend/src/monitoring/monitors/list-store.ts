import type { MonitorSort, MonitorStatus } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import {
  type Db,
  foldCase,
  type PageRequest,
  readPage,
  type RowClass,
  selectByClass,
  type TableRow,
} from '../../platform/db/index.ts'

/** A monitor in a list, without its statistics. */
export type MonitorItemRow = Pick<TableRow<'monitor_status'>, 'status' | 'since' | 'flapping_since'> &
  Pick<
    TableRow<'monitor'>,
    'id' | 'number' | 'name' | 'type' | 'url' | 'method' | 'interval_seconds' | 'regions' | 'tags' | 'created_at'
  > & {
    /** Whether there was a check, or none is needed; known of pages by status alone. */
    is_checked?: boolean | undefined
  }

export interface MonitorFilter {
  status: MonitorStatus | undefined
  /** Part of the name or URL, case-insensitive. */
  text: string | undefined
  tags: string[]
  /** Only those without a tag. */
  isUntagged: boolean
}

export const EVERY_MONITOR: MonitorFilter = { status: undefined, text: undefined, tags: [], isUntagged: false }

export interface Order {
  by: MonitorSort
  descending: boolean
}

/** Orders that need no figures of checks. */
export type StoredOrder = Order & { by: Exclude<MonitorSort, 'uptime' | 'response_ms'> }

/** It waits for no check. */
const IS_COMPOSITE = sql`monitor.type = 'composite'`

/** The worst first; an enabled monitor without a check is between those with a problem and those without. */
const SEVERITY_SQL = sql`case when status = 'down' then 0 when status = 'degraded' then 1 when status = 'paused' then 5 when status = 'idle' then 4
  when is_checked then 3 else 2 end`
const NAME_SQL = foldCase(sql`name`)
const ORDER_SQL = { name: NAME_SQL, created_at: sql`created_at`, status: SEVERITY_SQL } as const

function matching(db: Db, organization: number, { status, text, tags, isUntagged }: MonitorFilter) {
  return (
    db
      .selectFrom('monitor')
      .innerJoin('monitor_status', (on) =>
        on
          .onRef('monitor_status.organization', '=', 'monitor.organization')
          .onRef('monitor_status.monitor', '=', 'monitor.number'),
      )
      .where('monitor.organization', '=', organization)
      // Deleted ones have no status; the indexes of the orders have only the others.
      .where('monitor.deleted_at', 'is', null)
      .$if(status !== undefined, (select) => select.where('monitor_status.status', '=', status as MonitorStatus))
      .$if(text !== undefined, (select) => select.where(matchesText(text as string)))
      .$if(tags.length > 0, (select) => select.where('monitor.tags', '@>', sql<string[]>`${tags}::text[]`))
      .$if(isUntagged, (select) => select.where(sql<boolean>`monitor.tags = '{}'`))
  )
}

const items = (db: Db, organization: number, filter: MonitorFilter) =>
  matching(db, organization, filter)
    .select(['monitor.id', 'monitor.number', 'monitor.name', 'monitor.type', 'monitor.url', 'monitor.method'])
    .select(['monitor.interval_seconds', 'monitor.regions', 'monitor.tags', 'monitor.created_at', 'monitor_status.status'])
    .select(['monitor_status.since', 'monitor_status.flapping_since'])

/** One page and the total, from one snapshot; ties are ordered by id, newest first. */
export async function listPage(
  db: Db,
  organization: number,
  filter: MonitorFilter,
  { by, descending }: StoredOrder,
  page: PageRequest,
): Promise<{ total: number; rows: MonitorItemRow[] }> {
  if (by === 'status' && isOfStatus(filter) && filter.status === undefined)
    return listWorst(db, organization, { descending }, page)
  const query = items(db, organization, filter).$if(by === 'status', (select) =>
    select.select((eb) =>
      eb
        .or([
          sql<boolean>`${IS_COMPOSITE}`,
          eb.exists(
            eb
              .selectFrom('check_schedule')
              .select('check_schedule.monitor')
              .whereRef('check_schedule.organization', '=', 'monitor.organization')
              .whereRef('check_schedule.monitor', '=', 'monitor.number')
              .where('check_schedule.last_checked_at', 'is not', null),
          ),
        ])
        .$castTo<boolean>()
        .as('is_checked'),
    ),
  )
  const direction = descending ? sql`desc` : sql`asc`
  const order = sql`${ORDER_SQL[by]} ${direction}, ${by === 'status' ? sql`${NAME_SQL}, ` : sql``}id desc`
  // The search of a text takes most of the time: once for the page and the total.
  if (filter.text !== undefined) return readPage(db, query, order, page)
  const { rows } = await sql<{ total: number; is_row: true | null } & MonitorItemRow>`
    select counted.total, item.*
    from (${counting(db, organization, filter).select((eb) => eb.fn.countAll().as('total'))}) as counted
    left join lateral (
      select true as is_row, * from (${query}) as found order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
    ) as item on true
    order by ${order}`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.is_row) }
}

/** As `listPage` by status, of all monitors. */
async function listWorst(
  db: Db,
  organization: number,
  { descending }: Pick<Order, 'descending'>,
  page: PageRequest,
): Promise<{ total: number; rows: MonitorItemRow[] }> {
  const schedules = sql`from check_schedule where organization = ${organization}`
  const isChecked = sql`exists (select ${schedules} and monitor = status.monitor and last_checked_at is not null)`
  const isWaiting = sql`status.monitor in (select monitor ${schedules} and last_checked_at is null) and not ${isChecked}`
  const statusIs = (status: MonitorStatus) => sql`status.organization = ${organization} and status.status = ${sql.lit(status)}`
  const count = (condition: RawBuilder<unknown>) => sql`select count(*) from monitor_status as status where ${condition}`
  const from = (condition: RawBuilder<unknown>) => sql`
    from monitor join monitor_status as status on status.organization = monitor.organization and status.monitor = monitor.number
    where monitor.organization = ${organization} and deleted_at is null and ${condition}`
  const classOf = (condition: RawBuilder<unknown>): RowClass => ({ count: count(condition), from: from(condition) })
  const [up, waiting] = [statusIs('up'), sql`${statusIs('up')} and ${isWaiting}`]
  const worst = [
    classOf(statusIs('down')),
    classOf(statusIs('degraded')),
    classOf(waiting),
    { count: sql`select (${count(up)}) - (${count(waiting)})`, from: from(sql`${up} and (${isChecked} or ${IS_COMPOSITE})`) },
    classOf(statusIs('idle')),
    classOf(statusIs('paused')),
  ]
  const order = sql`${NAME_SQL}, id desc`
  const columns = sql`id, number, name, type, url, method, interval_seconds, regions, tags, created_at, status.status, since, flapping_since,
    ${isChecked} or ${IS_COMPOSITE} as is_checked`
  const found = selectByClass(descending ? worst.toReversed() : worst, columns, order, page)
  const { rows } = await sql<{ total: number; is_row: true | null } & MonitorItemRow>`
    select counted.total, item.* from (${counting(db, organization, EVERY_MONITOR).select((eb) => eb.fn.countAll().as('total'))})
      as counted
    left join (select true as is_row, * from (${found}) as found) as item on true
    order by class, ${order}`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.is_row) }
}

/** Whether no column of the monitor itself counts. */
const isOfStatus = ({ text, tags, isUntagged }: MonitorFilter): boolean => text === undefined && tags.length === 0 && !isUntagged

/** As `matching`, from the narrow table alone where no other column counts. */
function counting(db: Db, organization: number, filter: MonitorFilter) {
  const { status } = filter
  const statuses = db
    .selectFrom('monitor_status')
    .where('monitor_status.organization', '=', organization)
    .$if(status !== undefined, (select) => select.where('monitor_status.status', '=', status as MonitorStatus))
  return isOfStatus(filter) ? statuses : (matching(db, organization, filter) as unknown as typeof statuses)
}

/** What the kinds of these monitors need to know. */
export const listOptions = (db: Db, organization: number, numbers: readonly number[]) =>
  db
    .selectFrom('monitor')
    .select(['number', 'type', 'options'])
    .where('organization', '=', organization)
    .where('number', 'in', numbers)
    .execute()

/** The monitors of these numbers, unordered; deleted ones are absent. */
export const listNumbers = (db: Db, organization: number, numbers: readonly number[]): Promise<MonitorItemRow[]> =>
  items(db, organization, EVERY_MONITOR).where('monitor.number', 'in', numbers).execute()

/** A monitor that may be on a page. */
export interface Candidate {
  id: string
  number: number
  /** Bounds of what it is ordered by: equal where it is known exactly, infinite without checks. */
  low: number
  high: number
}

/** A figure of seven days, ascending: its total divided by its count, or the negative of that where descending. */
export interface FigureOrder {
  by: keyof typeof FIGURE_SQL
  descending: boolean
}

const FIGURE_SQL = {
  failures: { total: sql.ref('failed'), count: sql.ref('checks'), first: ['first_failed', 'first_checks'] },
  response_ms: {
    total: sql.ref('response_sum_us'),
    count: sql.ref('answered'),
    first: ['first_response_sum_us', 'first_answered'],
  },
} as const

/**
 * All monitors that can be on the page by a figure of seven days, unordered, and how many others are before the page. The sums of a
 * week begin up to two hours before the seven days: their bounds are those with and without the checks of these hours. `weekHour` is
 * the hour in which the seven days begin; without it nothing is known of them.
 */
export async function listCandidates(
  db: Db,
  organization: number,
  filter: MonitorFilter,
  { by, descending }: FigureOrder,
  weekHour: number | undefined,
  page: PageRequest,
): Promise<{ total: number; before: number; candidates: Candidate[] }> {
  const { total, count, first } = FIGURE_SQL[by]
  const [firstTotal, firstCount] = first.map((column) => sql.ref(column))
  const offset = (page.page - 1) * page.limit
  const known = sql`from_hour in (${weekHour ?? -1}::int, ${weekHour ?? -1}::int - 1) and ${count} > ${firstCount}`
  const low = sql`case when ${count} = 0 then 'infinity' when ${known}
    then (${total} - ${firstTotal})::float8 / ${count} else '-infinity' end`
  const high = sql`case when ${count} = 0 then 'infinity' when ${known}
    then ${total}::float8 / (${count} - ${firstCount}) else 'infinity' end`
  const negative = (bound: RawBuilder<unknown>) => sql`case when ${count} = 0 then 'infinity' else -(${bound}) end`
  const { rows } = await sql<{ total: number; before: number } & { [Key in keyof Candidate]: Candidate[Key] | null }>`
    with bounds as materialized (
      select id, monitor as number, ${descending ? negative(high) : low} as low, ${descending ? negative(low) : high} as high
      from check_week where organization = ${organization} ${isOfStatus(filter) && filter.status === undefined ? sql`` : sql`and monitor in (${matching(db, organization, filter).select('monitor.number')})`}
    ), edge as materialized (
      select (select low from bounds order by low offset ${offset} limit 1) as low,
        coalesce((select high from bounds order by high offset ${offset + page.limit - 1} limit 1), 'infinity') as high
    ), found as not materialized (
      select bounds.* from bounds, edge where bounds.high >= edge.low and bounds.low <= edge.high
    ), counted as (
      select count(*)::int as total, count(*) filter (where bounds.high < edge.low)::int as before from bounds, edge
    )
    select counted.*, item.* from counted left join (
      select * from found where low < high
      union all (select * from found where low = high order by low, id desc limit ${offset + page.limit})
    ) as item on true`.execute(db)
  const [{ total: all, before } = { total: 0, before: 0 }] = rows
  return { total: all, before, candidates: rows.filter((row): row is typeof row & Candidate => row.id !== null) }
}

/** How many monitors there are of each status, those of none left out; the status of the filter does not count. */
export async function countByStatus(db: Db, organization: number, filter: MonitorFilter): Promise<Map<MonitorStatus, number>> {
  const rows = await counting(db, organization, { ...filter, status: undefined })
    .select((eb) => ['monitor_status.status', eb.fn.countAll<string>().as('count')])
    .groupBy('monitor_status.status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

/** Literal text: `%` and `_` have no special meaning. */
const matchesText = (text: string) =>
  sql<boolean>`(strpos(${foldCase(sql`monitor.name`)}, ${foldCase(sql`${text}::text`)}) > 0
    or strpos(${foldCase(sql`monitor.url`)}, ${foldCase(sql`${text}::text`)}) > 0)`
