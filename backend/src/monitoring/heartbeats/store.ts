import type { Assertion, HeartbeatSchedule, MonitorStatus, RegionState } from '@vedette/shared'
import { sql } from 'kysely'
import type { LockingTransaction } from '../checks/index.ts'
import { type Db, type PageRequest, type TableRow } from '../../platform/db/index.ts'
import { dayOf } from '../../platform/time/day.ts'
import { type HeartbeatState, PING_KINDS, type PingKind } from './state.ts'

/** Runs the statements of a transaction. */
export type Transaction = Pick<LockingTransaction, 'run'>

/** How a ping names its monitor: by a token, or by a ping key and a slug. */
export interface PingTarget {
  hash: Buffer
  slug: string | null
}

/** A heartbeat with its schedule of checks and its status; times in ms. */
export interface LockedHeartbeat extends HeartbeatState {
  organization: number
  monitor: number
  schedule: HeartbeatSchedule
  assertions: Assertion[]
  /** Of `check_schedule`. */
  region: number
  fence: number
  intervalSeconds: number
  state: RegionState | null
  failures: number
  successes: number
  lastCheckedAtMs: number | null
  lastConclusiveAtMs: number | null
  status: MonitorStatus
}

const COLUMNS = `
  h.organization, h.monitor, h.expected_by as "expectedByMs", h.last_ping_at as "lastPingAtMs", h.last_start_at as "lastStartAtMs",
  h.last_start_rid as "lastStartRid", h.starts, m.options -> 'schedule' as schedule, m.assertions, s.region, s.fence,
  s.interval_seconds as "intervalSeconds", s.state, s.failures, s.successes, s.last_checked_at as "lastCheckedAtMs",
  s.last_conclusive_at as "lastConclusiveAtMs", t.status`
const JOINS = `
  join monitor as m on m.organization = h.organization and m.number = h.monitor
  join check_schedule as s on s.organization = h.organization and s.monitor = h.monitor
  join monitor_status as t on t.organization = h.organization and t.monitor = h.monitor`

/**
 * Locks the heartbeats that these pings name until the transaction ends, in one order to prevent deadlocks, and returns them by the
 * index of the ping; none for what is unknown, deleted or replaced.
 */
export async function lockTargets({ run }: Transaction, targets: readonly PingTarget[]): Promise<Map<number, LockedHeartbeat>> {
  const values = [targets.map(({ hash }) => hash), targets.map(({ slug }) => slug)]
  const rows = await run<LockedHeartbeat & { n: number }>('lock_pinged', LOCK_TARGETS, values)
  return new Map(rows.map(({ n, ...row }) => [n - 1, row]))
}

// Each table is read by its key; the names of tokens and of slugs apart, so that both are.
const LOCK_TARGETS = `
with input as materialized (
  select n::int4 as n, hash, slug from unnest($1::bytea[], $2::text[]) with ordinality as g (hash, slug, n)
), given as materialized (
  select g.n, g.hash, k.organization, k.monitor from input as g
  join ping_token as k on k.hash = g.hash where g.slug is null and k.monitor is not null
  union all
  select g.n, null, k.organization, named.monitor from input as g
  join ping_token as k on k.hash = g.hash join heartbeat as named on named.organization = k.organization and named.slug = g.slug
  where g.slug is not null and k.monitor is null
)
select given.n, ${COLUMNS}
from given
join heartbeat as h on h.organization = given.organization and h.monitor = given.monitor
  and (given.hash is null or h.token_hash = given.hash)
${JOINS}
order by h.organization, h.monitor
for update of h, s`

/** What names the heartbeats of a name, or of this slug, as a ping to their token does. */
export async function listTargetsByName(db: Db, organization: number, name: string): Promise<PingTarget[]> {
  const rows = await db
    .selectFrom('heartbeat as h')
    .innerJoin('monitor as m', (join) => join.onRef('m.organization', '=', 'h.organization').onRef('m.number', '=', 'h.monitor'))
    .select('h.token_hash as hash')
    .where('h.organization', '=', organization)
    .where('m.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('m.name', '=', name), eb('h.slug', '=', name)]))
    .execute()
  return rows.map(({ hash }) => ({ hash, slug: null }))
}

/** Locks heartbeats whose deadline has passed, the longest due first; skips those that another transaction has locked. */
export function lockDue({ run }: Transaction, nowMs: number, limit: number): Promise<LockedHeartbeat[]> {
  return run('lock_due_heartbeats', LOCK_DUE, [nowMs, limit])
}

const LOCK_DUE = `
select ${COLUMNS} from heartbeat as h ${JOINS}
where h.deadline_at <= $1::int8 order by h.deadline_at limit $2::int4 for update of h, s skip locked`

/** The next deadline, ms; undefined: there is none. */
export async function findNextDeadline(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ next: number | null }>`
    select min(deadline_at) as next from heartbeat where deadline_at is not null`.execute(db)
  return rows[0]?.next ?? undefined
}

/** A locked heartbeat and its new state. */
export interface StateChange {
  heartbeat: Pick<LockedHeartbeat, 'organization' | 'monitor'>
  state: HeartbeatState
  deadlineMs: number | null
}

export async function updateStates({ run }: Transaction, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return
  const column = <T>(pick: (change: StateChange) => T): T[] => changes.map(pick)
  await run('update_heartbeats', UPDATE_STATES, [
    column(({ heartbeat }) => heartbeat.organization),
    column(({ heartbeat }) => heartbeat.monitor),
    column(({ deadlineMs }) => deadlineMs),
    column(({ state }) => state.expectedByMs),
    column(({ state }) => state.lastPingAtMs),
    column(({ state }) => state.lastStartAtMs),
    column(({ state }) => state.lastStartRid),
    column(({ state }) => JSON.stringify(state.starts)),
  ])
}

/** The end of the grace of the next ping, ms, by the number of the heartbeat; none for those that wait for nothing. */
export async function listExpected(db: Db, organization: number, monitors: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('heartbeat')
    .select(['monitor', 'expected_by'])
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .where('deadline_at', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ monitor, expected_by: by }) => (by === null ? [] : [[monitor, by]])))
}

const UPDATE_STATES = `
update heartbeat as h set deadline_at = i.deadline_at, expected_by = i.expected_by, last_ping_at = i.last_ping_at,
  last_start_at = i.last_start_at, last_start_rid = i.last_start_rid, starts = i.starts
from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::uuid[], $8::jsonb[])
  as i (organization, monitor, deadline_at, expected_by, last_ping_at, last_start_at, last_start_rid, starts)
where h.organization = i.organization and h.monitor = i.monitor`

/** A ping to keep. */
export interface PingRecord {
  organization: number
  monitor: number
  atMs: number
  id: string
  kind: PingKind
  exitCode: number | null
  rid: string | null
  durationMs: number | null
  method: string
  address: string
  userAgent: string | null
  body: string | null
}

export async function insertPings({ run }: Transaction, pings: readonly PingRecord[]): Promise<void> {
  const column = <T>(pick: (ping: PingRecord) => T): T[] => pings.map(pick)
  await run('insert_pings', INSERT_PINGS, [
    column(({ organization }) => organization),
    column(({ monitor }) => monitor),
    column(({ atMs }) => atMs),
    column(({ atMs }) => dayOf(atMs)),
    column(({ id }) => id),
    column(({ kind }) => PING_KINDS.indexOf(kind)),
    column(({ exitCode }) => exitCode),
    column(({ rid }) => rid),
    column(({ durationMs }) => durationMs),
    column(({ method }) => method),
    column(({ address }) => address),
    column(({ userAgent }) => userAgent),
    column(({ body }) => body),
  ])
}

const INSERT_PINGS = `
insert into ping (organization, monitor, at, day, id, kind, exit_code, rid, duration_ms, method, address, user_agent, body)
select * from unnest($1::int4[], $2::int4[], $3::int8[], $4::date[], $5::uuid[], $6::int2[], $7::int2[], $8::uuid[], $9::int8[],
  $10::text[], $11::text[], $12::text[], $13::text[])`

export type PingRow = Pick<
  TableRow<'ping'>,
  'at' | 'kind' | 'exit_code' | 'rid' | 'duration_ms' | 'method' | 'address' | 'user_agent' | 'body'
>

/** One page of a monitor's pings, newest first, and the total, both of one snapshot. */
export async function listPings(
  db: Db,
  organization: number,
  monitor: number,
  { page, limit }: PageRequest,
): Promise<{ total: number; rows: PingRow[] }> {
  const matching = sql`from ping where organization = ${organization} and monitor = ${monitor}`
  // The condition is repeated because a common table expression would materialize a month of pings for one page.
  const { rows } = await sql<PingRow & { total: number }>`
    select counted.total, item.*
    from (select count(*) as total ${matching}) as counted
    left join lateral (
      select at, id, kind, exit_code, rid, duration_ms, method, address, user_agent, body ${matching}
      order by at desc, id desc limit ${limit} offset ${(page - 1) * limit}
    ) as item on true
    order by at desc, id desc`.execute(db)
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ at }) => at !== null) }
}

/** A heartbeat's token and slug, as its definition has them. */
export interface Address {
  monitor: number
  tokenHash: Buffer
  slug: string
}

/** Makes or changes the heartbeats of these monitors; their old tokens are refused from the commit on. */
export async function saveAddresses(db: Db, organization: number, addresses: readonly Address[]): Promise<void> {
  const monitors = addresses.map(({ monitor }) => monitor)
  const hashes = addresses.map(({ tokenHash }) => tokenHash)
  await sql`
    insert into heartbeat (organization, monitor, token_hash, slug, starts)
    select ${organization}::int4, monitor, hash, slug, '[]' from unnest(${monitors}::int4[], ${hashes}::bytea[],
      ${addresses.map(({ slug }) => slug)}::text[]) as given (monitor, hash, slug)
    on conflict (organization, monitor) do update set token_hash = excluded.token_hash, slug = excluded.slug`.execute(db)
  await sql`
    delete from ping_token where organization = ${organization} and monitor = any (${monitors}::int4[])
      and hash <> all (${hashes}::bytea[])`.execute(db)
  await sql`
    insert into ping_token (hash, organization, monitor)
    select hash, ${organization}::int4, monitor from unnest(${hashes}::bytea[], ${monitors}::int4[]) as given (hash, monitor)
    where not exists (select from ping_token as k where k.hash = given.hash and k.monitor = given.monitor)`.execute(db)
}

/** The slugs of the organization that other live heartbeats than `monitors` have, of these. */
export async function findTakenSlugs(
  db: Db,
  organization: number,
  slugs: readonly string[],
  monitors: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select slug from heartbeat
    where organization = ${organization} and slug = any (${slugs}::text[]) and monitor <> all (${monitors}::int4[])`.execute(db)
  return rows.map(({ slug }) => slug)
}

/** Of these hashes, those that other monitors than `monitors` of the organization, or other organizations, have. */
export async function findTakenTokens(
  db: Db,
  organization: number,
  hashes: readonly Buffer[],
  monitors: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select encode(hash, 'hex') as hash from ping_token
    where hash = any (${hashes}::bytea[])
      and not (organization = ${organization} and coalesce(monitor = any (${monitors}::int4[]), false))`.execute(db)
  return rows.map(({ hash }) => hash)
}

export async function setSlugs(db: Db, organization: number, rows: readonly { monitor: number; slug: string }[]): Promise<void> {
  await sql`
    update heartbeat set slug = given.slug
    from unnest(${rows.map(({ monitor }) => monitor)}::int4[], ${rows.map(({ slug }) => slug)}::text[]) as given (monitor, slug)
    where heartbeat.organization = ${organization} and heartbeat.monitor = given.monitor`.execute(db)
}

/** Awaits nothing while the monitors are paused; and forgets the slugs of deleted ones, which others may take. */
export async function stopAwaiting(db: Db, organization: number, monitors: readonly number[], isDeleted: boolean): Promise<void> {
  await db
    .updateTable('heartbeat')
    .set({ deadline_at: null, ...(isDeleted && { slug: null }) })
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .execute()
}

/** The heartbeats of these monitors, locked until the transaction ends. */
export function lockHeartbeats(db: Db, organization: number, monitors: readonly number[]) {
  return db
    .selectFrom('heartbeat')
    .select(['monitor', 'last_ping_at', 'starts'])
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .orderBy('monitor')
    .forUpdate()
    .execute()
}

export async function deleteHeartbeats(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  for (const table of ['ping_token', 'heartbeat', 'ping'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).where('monitor', 'in', monitors).execute()
}

/** Pings have no foreign key. */
export async function deleteOrganizationPings(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('ping').where('organization', '=', organization).execute()
}

export async function findPingKey(db: Db, organization: number) {
  return db.selectFrom('ping_key').select(['encrypted', 'created_at']).where('organization', '=', organization).executeTakeFirst()
}

/** Replaces the organization's ping key; the old one is refused from the commit on. */
export async function savePingKey(
  db: Db,
  organization: number,
  { hash, encrypted }: { hash: Buffer; encrypted: Buffer },
  at: Date,
): Promise<void> {
  await db
    .insertInto('ping_key')
    .values({ organization, encrypted, created_at: at })
    .onConflict((conflict) => conflict.column('organization').doUpdateSet({ encrypted, created_at: at }))
    .execute()
  await db.deleteFrom('ping_token').where('organization', '=', organization).where('monitor', 'is', null).execute()
  await db.insertInto('ping_token').values({ hash, organization, monitor: null }).execute()
}

/** The organization of a ping key. */
export async function findKeyOwner(db: Db, hash: Buffer): Promise<{ number: number; id: string } | undefined> {
  return db
    .selectFrom('ping_token')
    .innerJoin('organization', 'organization.number', 'ping_token.organization')
    .select(['organization.number', 'organization.id'])
    .where('ping_token.hash', '=', hash)
    .where('ping_token.monitor', 'is', null)
    .executeTakeFirst()
}
