import type { Filesystem, NetworkInterface, RegisterBody, ServerSort, ServerStatus } from '@vedette/shared'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database, Db, ServerFacts } from '../platform/db/index.ts'

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

export interface ServerState {
  stateAtMs: number
  filesystems: Filesystem[]
  interfaces: NetworkInterface[]
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

/** The surrogate of a server in the sample tables; undefined across organizations. */
export async function findServerNumber(db: Db, organization: number, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('server')
    .select('number')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.number
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

function filtered(db: Db, organization: number, filter: ServerFilter) {
  const { text, tags } = filter
  return withLastPush(db, organization, filter.sinceDay)
    .$if(text !== undefined, (query) => query.where((eb) => matchesText(eb as unknown as Columns, text as string)))
    .$if(tags.length > 0, (query) => query.where('server.tags', '@>', sql<string[]>`${tags}::text[]`))
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
  db: Db,
  organization: number,
  filter: ServerFilter,
  order: { by: keyof typeof ORDER_SQL; descending: boolean },
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ServerRow[] }> {
  const { status, onlineAfterMs } = filter
  const direction = order.descending ? sql`desc` : sql`asc`
  const rows = await db
    .with('matching', () =>
      db
        .selectFrom(filtered(db, organization, filter).as('candidate'))
        .selectAll()
        .$if(status !== undefined, (query) => query.where(STATUS_SQL[status as ServerStatus](onlineAfterMs))),
    )
    .selectFrom((eb) => eb.selectFrom('matching').select(eb.fn.countAll<string>().as('total')).as('counted'))
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('matching')
          .selectAll()
          .orderBy(sql`${ORDER_SQL[order.by]} ${direction}, id desc`)
          .limit(page.limit)
          .offset(page.offset)
          .as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy(sql`${ORDER_SQL[order.by]} ${direction}, id desc`)
    .execute()
  const total = Number(rows[0]?.total ?? 0)
  return { total, rows: rows.filter((row) => row.id !== null) as unknown as ServerRow[] }
}

/** The server of this machine, locked until the transaction ends. */
export function lockServerByMachine(db: Db, organization: number, machineId: string) {
  return db
    .selectFrom('server')
    .select(['id', 'number'])
    .where('organization', '=', organization)
    .where('machine_id', '=', machineId)
    .forUpdate()
    .executeTakeFirst()
}

export function lockServer(db: Db, organization: number, id: string) {
  return db
    .selectFrom('server')
    .select(['id', 'number', 'machine_id', 'boot_id', 'former_boot_ids'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function insertServer(
  db: Db,
  organization: number,
  server: { id: string; tokenHash: Buffer; body: RegisterBody; facts: ServerFacts },
  at: Date,
): Promise<void> {
  const { id, tokenHash, body, facts } = server
  const { machine_id, hostname, os, kernel, arch, agent_version } = body
  await db
    .insertInto('server')
    .values({
      organization,
      id,
      machine_id,
      token_hash: tokenHash,
      token_created_at: at,
      boot_id: null,
      former_boot_ids: [],
      hostname,
      display_name: null,
      os,
      kernel,
      arch,
      agent_version,
      tags: body.tags ?? [],
      facts: JSON.stringify(facts),
      registered_at: at,
    })
    .execute()
}

export interface ServerChange {
  hostname?: string
  display_name?: string | null
  os?: string
  kernel?: string
  arch?: string
  agent_version?: string
  tags?: string[]
  token_hash?: Buffer
  token_created_at?: Date
  boot_id?: string | null
  former_boot_ids?: string[]
}

/** Changes the columns that are given and adds the facts that are given; what is left out stays. */
export async function updateServer(
  db: Db,
  organization: number,
  id: string,
  change: ServerChange,
  facts: ServerFacts = {},
): Promise<void> {
  await db
    .updateTable('server')
    .set({ ...change, facts: sql`facts || ${JSON.stringify(facts)}::jsonb` })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deleteServer(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('server_state').where('organization', '=', organization).where('server_id', '=', id).execute()
  await db.deleteFrom('server').where('organization', '=', organization).where('id', '=', id).execute()
}

export async function insertDeletedMachine(db: Db, organization: number, machineId: string, at: Date): Promise<void> {
  await db
    .insertInto('deleted_machine')
    .values({ organization, machine_id: machineId, deleted_at: at })
    .onConflict((conflict) => conflict.columns(['organization', 'machine_id']).doUpdateSet({ deleted_at: at }))
    .execute()
}

/** When a server of this machine was last deleted, undefined when never. */
export async function findDeletion(db: Db, organization: number, machineId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('deleted_machine')
    .select('deleted_at')
    .where('organization', '=', organization)
    .where('machine_id', '=', machineId)
    .executeTakeFirst()
  return row?.deleted_at
}

export async function findState(db: Db, organization: number, serverId: string): Promise<ServerState | undefined> {
  const row = await db
    .selectFrom('server_state')
    .select(['state_at_ms', 'filesystems', 'interfaces'])
    .where('organization', '=', organization)
    .where('server_id', '=', serverId)
    .executeTakeFirst()
  return (
    row && {
      stateAtMs: row.state_at_ms,
      filesystems: row.filesystems as Filesystem[],
      interfaces: row.interfaces as NetworkInterface[],
    }
  )
}

export interface StateChange extends ServerState {
  organization: number
  serverId: string
  lastPushMs: number
}

/** Stores what was collected of many servers in one statement; an older state never replaces a newer one. Deleted servers are left out. */
export async function upsertStates(db: Db, changes: readonly StateChange[]): Promise<void> {
  const column = <T>(pick: (change: StateChange) => T) => changes.map(pick)
  await sql`
    insert into server_state as state (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces)
    select given.organization, given.server_id, given.last_push_ms, given.state_at_ms, given.filesystems::jsonb, given.interfaces::jsonb
    from unnest(
      ${column((change) => change.organization)}::int[],
      ${column((change) => change.serverId)}::uuid[],
      ${column((change) => change.lastPushMs)}::bigint[],
      ${column((change) => change.stateAtMs)}::bigint[],
      ${column((change) => JSON.stringify(change.filesystems))}::text[],
      ${column((change) => JSON.stringify(change.interfaces))}::text[]
    ) as given (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces)
    join server on server.organization = given.organization and server.id = given.server_id
    on conflict (organization, server_id) do update set
      last_push_ms = greatest(state.last_push_ms, excluded.last_push_ms),
      state_at_ms = greatest(state.state_at_ms, excluded.state_at_ms),
      filesystems = case when excluded.state_at_ms >= state.state_at_ms then excluded.filesystems else state.filesystems end,
      interfaces = case when excluded.state_at_ms >= state.state_at_ms then excluded.interfaces else state.interfaces end`.execute(
    db,
  )
}

export async function insertEvent(
  db: Db,
  organization: number,
  event: { id: string; type: string; subjectId: string; details: object },
  at: Date,
): Promise<void> {
  const { id, type, subjectId, details } = event
  await db
    .insertInto('event')
    .values({ organization, id, at, type, subject_id: subjectId, details: JSON.stringify(details) })
    .execute()
}

/** Whether this kind of event was stored of the subject since then. */
export async function hasRecentEvent(
  db: Db,
  organization: number,
  event: { type: string; subjectId: string },
  since: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('event')
    .select('id')
    .where('organization', '=', organization)
    .where('type', '=', event.type)
    .where('subject_id', '=', event.subjectId)
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the hash is that of the server's token as it is now. */
export async function isLivingToken(db: Db, organization: number, id: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('server')
    .select('id')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}
