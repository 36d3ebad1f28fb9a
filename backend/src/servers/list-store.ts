import type { ServerSort, ServerStatus } from '@vedette/shared'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { type Database, type Db, foldCase, isDistributed, type Pool, type ServerFacts } from '../platform/db/index.ts'
import { type LastPushes, mayBeUnstored, NEWEST_PUSHES, type Numbers, readLastPushes, receivedSince } from './last-push-store.ts'

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
}

export interface ServerRow extends ServerItemRow {
  machine_id: string
  arch: string
  facts: ServerFacts
}

const ITEM_COLUMNS = [
  'server.id',
  'server.number',
  'server.hostname',
  'server.display_name',
  'server.os',
  'server.kernel',
  'server.agent_version',
  'server.tags',
  'server.registered_at',
] as const
const MORE_COLUMNS = ['server.machine_id', 'server.arch', 'server.facts'] as const

/** The first receipt day to search for the newest pushes, or the last pushes themselves. */
type Newest = string | LastPushes

/** With the organization, by which what else is known of a server is found. */
const serversOf = (db: Db) => db.selectFrom('server').select(ITEM_COLUMNS).select(MORE_COLUMNS).select('server.organization')
type Servers = ReturnType<typeof serversOf>

const withState = (db: Db, servers: Servers) =>
  db
    .selectFrom(servers.as('server'))
    .leftJoin('server_state as state', (on) =>
      on.onRef('state.organization', '=', 'server.organization').onRef('state.server_id', '=', 'server.id'),
    )

/** With `onlineAfterMs` pushes are looked for only where they may decide whether the server is online. */
const withNewest = (db: Db, servers: Servers, sinceDay: string, onlineAfterMs?: number) =>
  withState(db, servers).leftJoinLateral(
    (join) =>
      join
        .selectFrom((push) =>
          push
            .selectFrom('metric_push as push')
            .select('push.received_at')
            .whereRef('push.organization', '=', 'server.organization')
            .whereRef('push.server', '=', 'server.number')
            .where(receivedSince(sinceDay))
            .$if(onlineAfterMs !== undefined, (pushes) => pushes.where(mayBeUnstored(onlineAfterMs as number)))
            .orderBy('push.t0', 'desc')
            .limit(NEWEST_PUSHES)
            .as('newest_push'),
        )
        .select((eb) => eb.fn.max('newest_push.received_at').as('received_at'))
        .as('newest'),
    (on) => on.onTrue(),
  )

const withGivenPushes = (db: Db, servers: Servers, { servers: numbers, receivedAtMs }: LastPushes) =>
  withState(db, servers).leftJoin(
    sql<{
      server: number
      received_at: number
    }>`unnest(${numbers}::int4[], ${receivedAtMs}::int8[])`.as<'newest'>(sql`newest (server, received_at)`),
    (on) => on.onRef('newest.server', '=', 'server.number'),
  ) as unknown as ReturnType<typeof withNewest>

/**
 * Servers with the time of their last push: the later of the stored state, which may be minutes old, and the newest pushes since
 * yesterday, received by any instance.
 */
function withLastPush(db: Db, servers: Servers, newest: Newest, onlineAfterMs?: number) {
  return (typeof newest === 'string' ? withNewest(db, servers, newest, onlineAfterMs) : withGivenPushes(db, servers, newest))
    .select(ITEM_COLUMNS)
    .select((eb) =>
      sql<number | null>`greatest(${eb.ref('newest.received_at')}, ${eb.ref('state.last_push_ms')})`.as('last_push_ms'),
    )
}

export async function findServer(db: Db, organization: number, id: string, sinceDay: string): Promise<ServerRow | undefined> {
  const isIt = numbersOf(db, organization).where('server.id', '=', id)
  const newest = await findNewest(db, organization, isIt, sinceDay)
  const server = serversOf(db).where('server.organization', '=', organization).where('server.id', '=', id)
  return withLastPush(db, server, newest).select(MORE_COLUMNS).executeTakeFirst()
}

const numbersOf = (db: Db, organization: number) =>
  db.selectFrom('server').select('server.number').where('server.organization', '=', organization)

/** On a distributed database the last pushes, because citus cannot join them with servers; otherwise the first day to search. */
async function findNewest(db: Db, organization: number, numbers: Numbers, sinceDay: string): Promise<Newest> {
  return (await isDistributed(db)) ? readLastPushes(db, organization, numbers, sinceDay) : sinceDay
}

export interface ServerFilter {
  status: ServerStatus | undefined
  /** Part of the host name or display name, any case. */
  text: string | undefined
  tags: string[]
  /** Only those without a tag. */
  isUntagged: boolean
  /** Servers whose last push is later are online, ms. */
  onlineAfterMs: number
  /** First receipt day to search for the newest pushes. */
  sinceDay: string
}

export interface Order {
  by: ServerSort
  descending: boolean
}

type Columns = ExpressionBuilder<Database, 'server'>

function matchesText(eb: Columns, text: string): Expression<SqlBool> {
  const folded = foldCase(sql`${text}::text`)
  const displayName = sql`coalesce(${eb.ref('server.display_name')}, '')`
  return sql<boolean>`strpos(${foldCase(eb.ref('server.hostname'))}, ${folded}) > 0 or strpos(${foldCase(displayName)}, ${folded}) > 0`
}

/** The conditions of the filter on the columns of the server. */
function matches(eb: Columns, organization: number, { text, tags, isUntagged }: ServerFilter): Expression<SqlBool> {
  return eb.and([
    eb('server.organization', '=', organization),
    ...(text === undefined ? [] : [matchesText(eb, text)]),
    ...(tags.length === 0 ? [] : [eb('server.tags', '@>', sql<string[]>`${tags}::text[]`)]),
    ...(isUntagged ? [sql<boolean>`${eb.ref('server.tags')} = '{}'`] : []),
  ])
}

function filtered(db: Db, organization: number, filter: ServerFilter, newest: Newest) {
  return withLastPush(
    db,
    serversOf(db).where((eb) => matches(eb, organization, filter)),
    newest,
    filter.onlineAfterMs,
  )
}

/** The last pushes of the servers that match the filter, or of one page of them. */
function newestOf(db: Db, organization: number, filter: ServerFilter, page?: Pick<PageQuery, 'order' | 'page'>): Promise<Newest> {
  const all = numbersOf(db, organization).where((eb) => matches(eb, organization, filter))
  const numbers = page ? all.orderBy(orderOf(page.order, filter)).limit(page.page.limit).offset(page.page.offset) : all
  return findNewest(db, organization, numbers, filter.sinceDay)
}

const STATUS_SQL = {
  online: (after: number) => sql<boolean>`coalesce(last_push_ms > ${after}, false)`,
  offline: (after: number) => sql<boolean>`coalesce(last_push_ms <= ${after}, true)`,
} as const

/** All servers that match the filter, unordered: for sorting by values of the newest samples. */
export async function listAll(db: Db, organization: number, filter: ServerFilter): Promise<ServerItemRow[]> {
  const { status, onlineAfterMs } = filter
  const newest = await newestOf(db, organization, filter)
  return db
    .with('matching', () => filtered(db, organization, filter, newest))
    .selectFrom('matching')
    .selectAll()
    .$if(status !== undefined, (query) => query.where(STATUS_SQL[status as ServerStatus](onlineAfterMs)))
    .execute()
}

/** How many servers are online and offline; the status of the filter does not count. */
export async function countByStatus(db: Db, organization: number, filter: ServerFilter): Promise<Map<ServerStatus, number>> {
  const { onlineAfterMs } = filter
  const newest = await newestOf(db, organization, filter)
  const { total, online } = await db
    .with('matching', () => filtered(db, organization, filter, newest))
    .selectFrom('matching')
    .select((eb) => [
      eb.fn.countAll<string>().as('total'),
      sql<string>`count(*) filter (where ${STATUS_SQL.online(onlineAfterMs)})`.as('online'),
    ])
    .executeTakeFirstOrThrow()
  return new Map([
    ['online', Number(online)],
    ['offline', Number(total) - Number(online)],
  ])
}

const NAME_SQL = foldCase(sql`coalesce(display_name, hostname)`)
const ORDER_SQL: Record<Exclude<ServerSort, 'cpu' | 'memory' | 'disk' | 'status'>, ReturnType<typeof sql>> = {
  name: NAME_SQL,
  created_at: sql`registered_at`,
  last_seen_at: sql`coalesce(last_push_ms, date_part('epoch', registered_at) * 1000)`,
}

/** One page and the total of one snapshot. Ties are ordered by id, newest first. */
export async function listPage(
  pool: Pool,
  organization: number,
  filter: ServerFilter,
  order: PageOrder,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ServerItemRow[] }> {
  const needsLastPush = filter.status !== undefined || order.by === 'last_seen_at' || order.by === 'status'
  const read = needsLastPush ? pageOfPushes : pageOfServers
  const newest = await newestOf(pool.db, organization, filter, needsLastPush ? undefined : { order, page })
  const rows = await pool.queryNamed<{ [Key in keyof ServerItemRow]: ServerItemRow[Key] | null } & { total: string }>(
    read(pool.db, { organization, filter, newest, order, page }).compile(),
  )
  const total = Number(rows[0]?.total ?? 0)
  return { total, rows: rows.filter((row) => row.id !== null) as unknown as ServerItemRow[] }
}

interface PageQuery {
  organization: number
  filter: ServerFilter
  newest: Newest
  order: PageOrder
  page: { limit: number; offset: number }
}

interface PageOrder {
  by: keyof typeof ORDER_SQL | 'status'
  descending: boolean
}

function orderOf({ by, descending }: PageOrder, { onlineAfterMs }: ServerFilter) {
  const direction = descending ? sql`desc` : sql`asc`
  // False is before true: offline servers come first.
  if (by === 'status') return sql`${STATUS_SQL.online(onlineAfterMs)} ${direction}, ${NAME_SQL}, id desc`
  return sql`${ORDER_SQL[by]} ${direction}, id desc`
}

/** Reads the last pushes of the page's servers only: for orders and filters that do not depend on the last push. */
function pageOfServers(db: Db, { organization, filter, newest, order, page }: PageQuery) {
  const isMatching = (eb: unknown) => matches(eb as Columns, organization, filter)
  const servers = serversOf(db).where(isMatching).orderBy(orderOf(order, filter)).limit(page.limit).offset(page.offset)
  return db
    .selectFrom(db.selectFrom('server').select(db.fn.countAll<string>().as('total')).where(isMatching).as('counted'))
    .leftJoinLateral(
      () => withLastPush(db, servers, newest).as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy(orderOf(order, filter))
}

function pageOfPushes(db: Db, { organization, filter, newest, order, page }: PageQuery) {
  const { status, onlineAfterMs } = filter
  return db
    .with('matching', () =>
      db
        .selectFrom(filtered(db, organization, filter, newest).as('candidate'))
        .selectAll()
        .$if(status !== undefined, (query) => query.where(STATUS_SQL[status as ServerStatus](onlineAfterMs))),
    )
    .selectFrom((eb) => eb.selectFrom('matching').select(eb.fn.countAll<string>().as('total')).as('counted'))
    .leftJoinLateral(
      (eb) =>
        eb.selectFrom('matching').selectAll().orderBy(orderOf(order, filter)).limit(page.limit).offset(page.offset).as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy(orderOf(order, filter))
}
