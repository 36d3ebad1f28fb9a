import {
  type Dependency,
  HEALTH_STATUSES,
  type HealthStatus,
  type Managed,
  type OptionalSource,
  type PageLink,
  type ServerSort,
  type ServerStatus,
} from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import type { Finding } from './health-wire.ts'
import { type Db, foldCase, type Pool, type ServerFacts } from '../../platform/db/index.ts'

/** The columns of a server in a list. */
export interface ServerItemRow {
  id: string
  number: number
  hostname: string
  display_name: string | null
  os: string
  kernel: string
  agent_version: string
  tags: string[]
  registered_at: Date
  /** The time of its last accepted push, ms; null before the first. */
  last_push_ms: number | null
  /** What is wrong with it; null: nothing was derived yet. */
  findings: Finding[] | null
}

export interface ServerRow extends ServerItemRow {
  machine_id: string
  arch: string
  facts: ServerFacts
  depends_on: Dependency[]
  sources_off: OptionalSource[]
  description: string | null
  runbook_url: string | null
  responsible: string | null
  links: PageLink[]
  managed: Managed | null
}

const ITEM_COLUMNS = sql`id, number, hostname, display_name, os, kernel, agent_version, tags, registered_at, last_push_ms, findings`

/** The level is 0 before the first derivation, too. */
const HEALTH = sql`left join (select organization, server_id as id, level, findings from server_health) as health using (organization, id)`

export async function findServer(db: Db, organization: number, id: string): Promise<ServerRow | undefined> {
  const { rows } = await sql<ServerRow>`
    select ${ITEM_COLUMNS}, machine_id, arch, facts, depends_on, sources_off, managed,
      description, runbook_url, responsible, links
    from server join server_newest using (organization, id) ${HEALTH}
    where organization = ${organization} and id = ${id}`.execute(db)
  return rows[0]
}

export interface ServerFilter {
  status: ServerStatus | undefined
  health?: HealthStatus | undefined
  /** Part of the host name or display name, any case. */
  text: string | undefined
  tags: string[]
  /** Only those without a tag. */
  isUntagged: boolean
  /** Servers whose last push is later are online, ms. */
  onlineAfterMs: number
}

export interface Order {
  by: ServerSort
  descending: boolean
}

/** Terms of a query, and the tables whose columns they name: of 50,000 servers the join of both is half of the work. */
interface Terms {
  sql: RawBuilder<unknown>
  server: boolean
  newest: boolean
  health?: boolean
}

const ofServer = (terms: RawBuilder<unknown>): Terms => ({ sql: terms, server: true, newest: false })
const ofNewest = (terms: RawBuilder<unknown>): Terms => ({ sql: terms, server: false, newest: true })
const ofHealth = (terms: RawBuilder<unknown>): Terms => ({ ...ofNewest(terms), health: true })

function tablesOf(...all: readonly Terms[]): RawBuilder<unknown> {
  const [server, newest] = [all.some((terms) => terms.server), all.some((terms) => terms.newest)]
  const health = all.some((terms) => terms.health) ? HEALTH : sql``
  if (server && newest) return sql`server join server_newest using (organization, id) ${health}`
  return server ? sql`server` : sql`server_newest ${health}`
}

const STATUS_SQL = {
  online: (after: number) => sql`coalesce(last_push_ms > ${after}::bigint, false)`,
  offline: (after: number) => sql`coalesce(last_push_ms <= ${after}::bigint, true)`,
} as const

/** The conditions of the filter. */
function matches(organization: number, { status, health, text, tags, isUntagged, onlineAfterMs }: ServerFilter): Terms {
  const conditions = [
    ...(text === undefined ? [] : [ofServer(matchesText(text))]),
    ...(health === undefined ? [] : [ofHealth(sql`${LEVEL} = ${HEALTH_STATUSES.indexOf(health)}::int2`)]),
    ...(tags.length === 0 ? [] : [ofServer(sql`tags @> ${tags}::text[]`)]),
    ...(isUntagged ? [ofServer(sql`tags = '{}'`)] : []),
    ...(status === undefined ? [] : [ofNewest(STATUS_SQL[status](onlineAfterMs))]),
  ]
  return {
    sql: sql.join([sql`organization = ${organization}`, ...conditions.map((terms) => terms.sql)], sql` and `),
    server: conditions.some((terms) => terms.server),
    newest: conditions.some((terms) => terms.newest),
    health: conditions.some((terms) => terms.health),
  }
}

function matchesText(text: string): RawBuilder<unknown> {
  const folded = foldCase(sql`${text}::text`)
  return sql`(strpos(${foldCase(sql`hostname`)}, ${folded}) > 0 or strpos(${foldCase(sql`display_name`)}, ${folded}) > 0)`
}

/** How many servers are online and offline; the status of the filter does not count. */
export async function countByStatus(db: Db, organization: number, filter: ServerFilter): Promise<Map<ServerStatus, number>> {
  const matching = matches(organization, { ...filter, status: undefined })
  const isOnline = ofNewest(STATUS_SQL.online(filter.onlineAfterMs))
  const { rows } = await sql<{ total: number; online: number }>`
    select count(*)::int as total, count(*) filter (where ${isOnline.sql})::int as online
    from ${tablesOf(matching, isOnline)} where ${matching.sql}`.execute(db)
  const { total = 0, online = 0 } = rows[0] ?? {}
  return new Map([
    ['online', online],
    ['offline', total - online],
  ])
}

const LEVEL = sql`coalesce(level, 0)`
const NAME_SQL = foldCase(sql`coalesce(display_name, hostname)`)
const ORDER_SQL: Record<Exclude<ServerSort, 'status' | 'health'>, Terms> = {
  name: ofServer(NAME_SQL),
  created_at: ofNewest(sql`created_at`),
  last_seen_at: ofNewest(sql`coalesce(last_push_ms, date_part('epoch', created_at) * 1000)`),
  cpu: ofNewest(sql`cpu`),
  memory: ofNewest(sql`memory`),
  disk: ofNewest(sql`disk`),
}

function orderOf({ by, descending }: Order, { onlineAfterMs }: ServerFilter): Terms {
  const direction = descending ? sql`desc` : sql`asc`
  // False is before true: offline servers come first.
  const worst = { server: true, newest: true, health: true }
  const byHealth = sql`${LEVEL} ${descending ? sql`asc` : sql`desc`}, ${NAME_SQL}, id desc`
  if (by === 'health') return { ...worst, sql: byHealth }
  if (by === 'status') return { ...worst, sql: sql`${STATUS_SQL.online(onlineAfterMs)} ${direction}, ${byHealth}` }
  const terms = ORDER_SQL[by]
  return {
    ...terms,
    sql: terms.newest ? sql`${terms.sql} ${direction} nulls last, id desc` : sql`${terms.sql} ${direction}, id desc`,
  }
}

/** One page and the total of one snapshot. Ties are ordered by id, newest first; servers without the value are last. */
export async function listPage(
  pool: Pool,
  organization: number,
  filter: ServerFilter,
  order: Order,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ServerItemRow[] }> {
  const matching = matches(organization, filter)
  const ordering = orderOf(order, filter)
  // Of a text the search takes most of the time: once for both.
  const isText = filter.text !== undefined
  const found = isText
    ? sql`with found as materialized (select organization, id from ${tablesOf(matching)} where ${matching.sql})`
    : sql``
  const [from, ofOrder] = isText
    ? [sql`found`, sql`found join ${tablesOf(ordering)} using (organization, id)`]
    : [sql`${tablesOf(matching)} where ${matching.sql}`, sql`${tablesOf(matching, ordering)} where ${matching.sql}`]
  const query = sql`
    ${found} select total, item.* from (select count(*)::int as total from ${from}) as counted
    left join (
      select ${ITEM_COLUMNS}, created_at, cpu, memory, disk, level
      from (
        select organization, id from ${ofOrder}
        order by ${ordering.sql} limit ${page.limit} offset ${page.offset}
      ) as page
      join server using (organization, id) join server_newest using (organization, id) ${HEALTH}
    ) as item on true
    order by ${ordering.sql}`
  const rows = await pool.queryNamed<{ [Key in keyof ServerItemRow]: ServerItemRow[Key] | null } & { total: number }>(
    query.compile(pool.db),
  )
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.id !== null) as unknown as ServerItemRow[] }
}
