import type { ServerSort, ServerStatus } from '@vedette/shared'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database, Db, Pool, ServerFacts } from '../platform/db/index.ts'

export interface ServerRow {
  id: string
  number: number
  machine_id: string
  hostname: string
  display_name: string | null
  os: string
  kernel: string
  arch: string
  agent_version: string
  tags: string[]
  facts: ServerFacts
  registered_at: Date
  /** When its last accepted push came, ms; null before the first. */
  last_push_ms: number | null
}

const COLUMNS = [
  'server.id',
  'server.number',
  'server.machine_id',
  'server.hostname',
  'server.display_name',
  'server.os',
  'server.kernel',
  'server.arch',
  'server.agent_version',
  'server.tags',
  'server.facts',
  'server.registered_at',
] as const

/** How many of the newest pushes tell when the last one came: live data goes first, so the newest instant came last. */
const NEWEST_PUSHES = 3

/**
 * Servers with the instant of their last push: the kept one (which may be minutes old), or that of the newest pushes of
 * today and yesterday, whichever instance took them.
 */
function withLastPush(db: Db, organization: number, sinceDay: string) {
  return db
    .selectFrom('server')
    .leftJoin('server_state as state', (on) =>
      on.onRef('state.organization', '=', 'server.organization').onRef('state.server_id', '=', 'server.id'),
    )
    .leftJoinLateral(
      (join) =>
        join
          .selectFrom('metric_push as push')
          .select('push.received_at')
          .whereRef('push.organization', '=', 'server.organization')
          .whereRef('push.server', '=', 'server.number')
          .where('push.received_day', '>=', sinceDay)
          .orderBy('push.t0', 'desc')
          .limit(NEWEST_PUSHES)
          .as('newest'),
      (on) => on.onTrue(),
    )
    .select(COLUMNS)
    .select((eb) =>
      sql<number | null>`greatest(max(${eb.ref('newest.received_at')}), max(${eb.ref('state.last_push_ms')}))`.as('last_push_ms'),
    )
    .where('server.organization', '=', organization)
    .groupBy(['server.organization', 'server.id'])
}

export function findServer(db: Db, organization: number, id: string, sinceDay: string): Promise<ServerRow | undefined> {
  return withLastPush(db, organization, sinceDay).where('server.id', '=', id).executeTakeFirst()
}

export interface ServerFilter {
  status: ServerStatus | undefined
  /** Part of the host name or display name, any case. */
  text: string | undefined
  tags: string[]
  /** Servers whose last push came after this are online, ms. */
  onlineAfterMs: number
  /** First day of receipt in which newest pushes are looked for. */
  sinceDay: string
}

export interface Order {
  by: ServerSort
  descending: boolean
}

type Columns = ExpressionBuilder<Database, 'server'>

function matchesText(eb: Columns, text: string): Expression<SqlBool> {
  return sql<boolean>`strpos(lower(${eb.ref('server.hostname')}), lower(${text})) > 0 or strpos(lower(coalesce(${eb.ref('server.display_name')}, '')), lower(${text})) > 0`
}

/** What a server's own row says of whether it passes. */
function matches(eb: Columns, organization: number, { text, tags }: ServerFilter): Expression<SqlBool> {
  return eb.and([
    eb('server.organization', '=', organization),
    ...(text === undefined ? [] : [matchesText(eb, text)]),
    ...(tags.length === 0 ? [] : [eb('server.tags', '@>', sql<string[]>`${tags}::text[]`)]),
  ])
}

function filtered(db: Db, organization: number, filter: ServerFilter) {
  return withLastPush(db, organization, filter.sinceDay).where((eb) => matches(eb as unknown as Columns, organization, filter))
}

const STATUS_SQL = {
  online: (after: number) => sql<boolean>`coalesce(last_push_ms > ${after}, false)`,
  offline: (after: number) => sql<boolean>`coalesce(last_push_ms <= ${after}, true)`,
} as const

/** All servers that pass the filter, in no order: for orders that only the newest samples know. */
export function listAll(db: Db, organization: number, filter: ServerFilter): Promise<ServerRow[]> {
  const { status, onlineAfterMs } = filter
  return db
    .with('matching', () => filtered(db, organization, filter))
    .selectFrom('matching')
    .selectAll()
    .$if(status !== undefined, (query) => query.where(STATUS_SQL[status as ServerStatus](onlineAfterMs)))
    .execute()
}

const ORDER_SQL: Record<Exclude<ServerSort, 'cpu' | 'memory' | 'disk'>, ReturnType<typeof sql>> = {
  name: sql`lower(coalesce(display_name, hostname))`,
  created_at: sql`registered_at`,
  last_seen_at: sql`coalesce(last_push_ms, extract(epoch from registered_at) * 1000)`,
}

/** One page and the total of one instant; ties stand by id, newest first. */
export async function listPage(
  pool: Pool,
  organization: number,
  filter: ServerFilter,
  order: PageOrder,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ServerRow[] }> {
  const needsLastPush = filter.status !== undefined || order.by === 'last_seen_at'
  const read = needsLastPush ? pageOfPushes : pageOfServers
  const rows = await pool.ask<{ [Key in keyof ServerRow]: ServerRow[Key] | null } & { total: string }>(
    read(pool.db, organization, filter, order, page).compile(),
  )
  const total = Number(rows[0]?.total ?? 0)
  return { total, rows: rows.filter((row) => row.id !== null) as unknown as ServerRow[] }
}

interface PageOrder {
  by: keyof typeof ORDER_SQL
  descending: boolean
}

const orderOf = ({ by, descending }: PageOrder) => sql`${ORDER_SQL[by]} ${descending ? sql`desc` : sql`asc`}, id desc`

/** Looks for the last push of the page's servers alone: for orders and filters that do not need those of all. */
function pageOfServers(
  db: Db,
  organization: number,
  filter: ServerFilter,
  order: PageOrder,
  page: { limit: number; offset: number },
) {
  const isMatching = (eb: unknown) => matches(eb as Columns, organization, filter)
  const ids = db
    .selectFrom('server')
    .select('server.id')
    .where(isMatching)
    .orderBy(orderOf(order))
    .limit(page.limit)
    .offset(page.offset)
  return db
    .selectFrom(db.selectFrom('server').select(db.fn.countAll<string>().as('total')).where(isMatching).as('counted'))
    .leftJoinLateral(
      () => withLastPush(db, organization, filter.sinceDay).where('server.id', 'in', ids).as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy(orderOf(order))
}

function pageOfPushes(
  db: Db,
  organization: number,
  filter: ServerFilter,
  order: PageOrder,
  page: { limit: number; offset: number },
) {
  const { status, onlineAfterMs } = filter
  return db
    .with('matching', () =>
      db
        .selectFrom(filtered(db, organization, filter).as('candidate'))
        .selectAll()
        .$if(status !== undefined, (query) => query.where(STATUS_SQL[status as ServerStatus](onlineAfterMs))),
    )
    .selectFrom((eb) => eb.selectFrom('matching').select(eb.fn.countAll<string>().as('total')).as('counted'))
    .leftJoinLateral(
      (eb) => eb.selectFrom('matching').selectAll().orderBy(orderOf(order)).limit(page.limit).offset(page.offset).as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy(orderOf(order))
}
