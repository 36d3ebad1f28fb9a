import type { MonitorSort, MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, foldCase, type PageRequest, readPage, type TableRow } from '../platform/db/index.ts'

/** A monitor in a list, without its statistics. */
export type MonitorItemRow = Pick<TableRow<'monitor_status'>, 'status'> &
  Pick<
    TableRow<'monitor'>,
    'id' | 'number' | 'name' | 'type' | 'url' | 'method' | 'interval_seconds' | 'regions' | 'tags' | 'created_at'
  >

export interface MonitorFilter {
  status: MonitorStatus | undefined
  /** Part of the name or URL, case-insensitive. */
  text: string | undefined
  tags: string[]
}

export interface Order {
  by: MonitorSort
  descending: boolean
}

const ORDER_SQL = { name: foldCase(sql`name`), created_at: sql`created_at` } as const

/** One page and the total, from one snapshot; ties are ordered by id, newest first. */
export async function listPage(
  db: Db,
  organization: number,
  { status, text, tags }: MonitorFilter,
  { by, descending }: Order,
  page: PageRequest,
): Promise<{ total: number; rows: MonitorItemRow[] }> {
  const query = db
    .selectFrom('monitor')
    .innerJoin('monitor_status', (on) =>
      on.onRef('monitor_status.organization', '=', 'monitor.organization').onRef('monitor_status.monitor', '=', 'monitor.number'),
    )
    .select(['monitor.id', 'monitor.number', 'monitor.name', 'monitor.type', 'monitor.url', 'monitor.method'])
    .select(['monitor.interval_seconds', 'monitor.regions', 'monitor.tags', 'monitor.created_at', 'monitor_status.status'])
    .where('monitor.organization', '=', organization)
    .$if(status !== undefined, (select) => select.where('monitor_status.status', '=', status as MonitorStatus))
    .$if(text !== undefined, (select) => select.where(matchesText(text as string)))
    .$if(tags.length > 0, (select) => select.where('monitor.tags', '@>', sql<string[]>`${tags}::text[]`))
  const order = sql`${ORDER_SQL[by]} ${descending ? sql`desc` : sql`asc`}, id desc`
  const { total, rows } = await readPage(db, query, order, page)
  return { total, rows }
}

/** Literal text: `%` and `_` have no special meaning. */
const matchesText = (text: string) =>
  sql<boolean>`(strpos(${foldCase(sql`monitor.name`)}, ${foldCase(sql`${text}::text`)}) > 0
    or strpos(${foldCase(sql`monitor.url`)}, ${foldCase(sql`${text}::text`)}) > 0)`
