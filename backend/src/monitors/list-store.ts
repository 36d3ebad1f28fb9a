import type { MonitorSort, MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, foldCase, type PageRequest, type TableRow } from '../platform/db/index.ts'

/** A monitor in a list, without its statistics. */
export type MonitorItemRow = Pick<TableRow<'monitor_status'>, 'status'> &
  Pick<
    TableRow<'monitor'>,
    'id' | 'number' | 'name' | 'type' | 'url' | 'method' | 'interval_seconds' | 'regions' | 'tags' | 'created_at'
  > & {
    /** Whether there was a check; known of pages by status alone. */
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

/** The worst first; an enabled monitor without a check is between those with a problem and those without. */
const SEVERITY_SQL = sql`case when status = 'down' then 0 when status = 'degraded' then 1 when status = 'paused' then 4
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

/** One page and the total, from one snapshot; ties are ordered by id, newest first. */
export async function listPage(
  db: Db,
  organization: number,
  filter: MonitorFilter,
  { by, descending }: StoredOrder,
  page: PageRequest,
): Promise<{ total: number; rows: MonitorItemRow[] }> {
  const query = items(db, organization, filter).$if(by === 'status', (select) =>
    select.select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('check_schedule')
            .select('check_schedule.monitor')
            .whereRef('check_schedule.organization', '=', 'monitor.organization')
            .whereRef('check_schedule.monitor', '=', 'monitor.number')
            .where('check_schedule.last_checked_at', 'is not', null),
        )
        .$castTo<boolean>()
        .as('is_checked'),
    ),
  )
  const direction = descending ? sql`desc` : sql`asc`
  const order = sql`${ORDER_SQL[by]} ${direction}, ${by === 'status' ? sql`${NAME_SQL}, ` : sql``}id desc`
  const { rows } = await sql<{ total: number; is_row: true | null } & MonitorItemRow>`
    select counted.total, item.*
    from (${counting(db, organization, filter).select((eb) => eb.fn.countAll().as('total'))}) as counted
    left join lateral (
      select true as is_row, * from (${query}) as found order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
    ) as item on true
    order by ${order}`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.is_row) }
}

/** As `matching`, from the narrow table alone where no other column counts. */
function counting(db: Db, organization: number, filter: MonitorFilter) {
  const { status, text, tags, isUntagged } = filter
  const statuses = db
    .selectFrom('monitor_status')
    .where('monitor_status.organization', '=', organization)
    .$if(status !== undefined, (select) => select.where('monitor_status.status', '=', status as MonitorStatus))
  const isNarrow = text === undefined && tags.length === 0 && !isUntagged
  return isNarrow ? statuses : (matching(db, organization, filter) as unknown as typeof statuses)
}

/** All that match, unordered. */
export const listAll = (db: Db, organization: number, filter: MonitorFilter): Promise<MonitorItemRow[]> =>
  items(db, organization, filter).execute()

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
