import type pg from 'pg'
import { binaryArray, NODE_LIMIT_MS, type Pool, transactionLimits } from '../../../platform/db/index.ts'
import { loadsOf, updateNewest } from './newest-store.ts'
import { PUSH_SCOPES } from './push-scopes.ts'
import type { PushRow, RowResult } from './push-row.ts'
import { lockLateHours } from '../storage/late-lock-store.ts'
import { HOUR_MS } from '../storage/schedule.ts'

/** When the rows came, and what that makes of them. */
export interface Receipt {
  atMs: number
  day: string
  dayBefore: string
  /** Pushes that begin earlier belong to an hour that is, or may be, compacted. */
  lateBeforeMs: number
  /** Pushes that begin then or later cannot have been received yesterday. */
  freshFromMs: number
  /** A push is early where the previous one of its server came later. */
  earlyAfterMs: number
}

interface Allowed {
  row: PushRow
  /** Among the rows. */
  index: number
  server: number
}

/**
 * `insertPushes` for Citus, which cannot join pushes on nodes with credentials on the coordinator. One transaction first authorizes
 * the credentials and locks their rows until its commit: replacing a token or revoking a key waits for running pushes, and no push
 * is stored with the old credential afterwards. The caller repeats the transaction after a deadlock.
 */
export async function insertDistributed(pool: Pool, rows: readonly PushRow[], receipt: Receipt): Promise<RowResult[]> {
  const client = await pool.pushes.connect()
  let isBroken = true
  try {
    await client.query(`begin; ${transactionLimits()}`)
    const results = await store(client, rows, receipt)
    await client.query('commit')
    isBroken = false
    return results
  } catch (error) {
    // A connection that cannot even do this is not used again.
    isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(isBroken)
  }
}

async function store(client: pg.ClientBase, rows: readonly PushRow[], receipt: Receipt): Promise<RowResult[]> {
  const results = rows.map((): RowResult => 'refused')
  const allowed: Allowed[] = []
  for (const { n, server, is_known_boot } of await authorize(client, rows, receipt.atMs)) {
    results[n - 1] = is_known_boot ? 'duplicate' : 'new_boot'
    if (is_known_boot) allowed.push({ row: rows[n - 1] as PushRow, index: n - 1, server })
  }
  await markLate(
    client,
    allowed.filter(({ row }) => row.piece.t0Ms < receipt.lateBeforeMs),
    receipt.atMs,
  )
  await noteNewest(client, allowed, receipt)
  // From here on nodes have to answer. The limit is the server's: what it cancels leaves neither a connection nor a statement behind.
  await client.query(`set local statement_timeout = ${NODE_LIMIT_MS}`)
  const came = await findEarlier(
    client,
    allowed.filter(({ row }) => row.piece.t0Ms < receipt.freshFromMs),
    receipt.dayBefore,
  )
  const indexByDigest = new Map(allowed.map(({ row, index }) => [row.piece.digest, index]))
  const fresh = allowed.filter(({ index }) => !came.has(index))
  for (const digest of await insert(client, fresh, receipt)) results[indexByDigest.get(digest) as number] = 'stored'
  return results
}

interface Authorization {
  /** Counted from 1. */
  n: number
  server: number
  is_known_boot: boolean
}

async function authorize(client: pg.ClientBase, rows: readonly PushRow[], atMs: number): Promise<Authorization[]> {
  const { rows: proofs } = await client.query<Authorization>(AUTHORIZE, [
    binaryArray.int4(rows.map(({ organization }) => organization)),
    binaryArray.uuid(rows.map(({ serverId }) => serverId)),
    binaryArray.bytea(rows.map(({ credential }) => credential)),
    binaryArray.text(rows.map(({ bootId }) => bootId)),
    new Date(atMs),
  ])
  return proofs
}

// In one order, so that two instances do not wait for each other.
const AUTHORIZE = `
with input as materialized (
  select * from unnest($1::int4[], $2::uuid[], $3::bytea[], $4::text[])
    with ordinality as given (organization, server_id, credential, boot_id, n)
), by_token as (
  select input.n, server.number as server, input.boot_id = '' or input.boot_id = coalesce(server.boot_id, '') as is_known_boot
  from input join server on server.organization = input.organization and server.id = input.server_id
  where server.token_hash = input.credential
  order by server.organization, server.id
  for share of server
), by_key as (
  select input.n, server.number as server, input.boot_id = '' or input.boot_id = coalesce(server.boot_id, '') as is_known_boot
  from input join server on server.organization = input.organization and server.id = input.server_id
  join api_key on api_key.organization = input.organization and api_key.hash = input.credential
  where api_key.revoked_at is null and (api_key.expires_at is null or api_key.expires_at > $5)
    and api_key.scopes && ${PUSH_SCOPES}
  order by server.organization, server.id
  for share of server, api_key
)
select n::int4, server, is_known_boot from by_token union all select n::int4, server, is_known_boot from by_key`

const keysOf = (some: readonly Allowed[]): Buffer[] => [
  binaryArray.int4(some.map(({ row }) => row.organization)),
  binaryArray.int4(some.map(({ server }) => server)),
  binaryArray.int8(some.map(({ row }) => row.piece.t0Ms)),
  binaryArray.int8Bytes(some.map(({ row }) => row.piece.digest)),
]

/** The indexes of those that came the day before. */
async function findEarlier(client: pg.ClientBase, some: readonly Allowed[], dayBefore: string): Promise<Set<number>> {
  if (some.length === 0) return new Set()
  const { rows } = await client.query<{ n: number }>(
    `select given.n::int4 from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[])
      with ordinality as given (organization, server, t0, digest, n)
    join metric_push as earlier on earlier.organization = given.organization and earlier.server = given.server
      and earlier.t0 = given.t0 and earlier.digest = given.digest and earlier.received_day = $5::date`,
    [...keysOf(some), dayBefore],
  )
  return new Set(rows.map(({ n }) => (some[n - 1] as Allowed).index))
}

/** Marks late rows before they are stored, so that deleting a mark waits for its samples. */
async function markLate(client: pg.ClientBase, some: readonly Allowed[], atMs: number): Promise<void> {
  if (some.length === 0) return
  const hours = some.map(({ row }) => Math.floor(row.piece.t0Ms / HOUR_MS))
  await lockLateHours(client, hours)
  await client.query(
    `insert into metric_late (marked_at, hour, organization, server)
    select distinct $4::int8, given.* from unnest($1::int4[], $2::int4[], $3::int4[]) as given (hour, organization, server)
    order by 2, 3, 4
    on conflict (hour, organization, server) do update set marked_at = metric_late.marked_at where false`,
    [binaryArray.int4(hours), ...keysOf(some).slice(0, 2), atMs],
  )
}

/** A push that was stored before is an accepted one too. */
async function noteNewest(client: pg.ClientBase, allowed: readonly Allowed[], { atMs, earlyAfterMs }: Receipt): Promise<void> {
  if (allowed.length === 0) return
  const rows = allowed.map(({ row }) => row)
  await client.query(UPDATE_NEWEST, [
    binaryArray.int4(rows.map(({ organization }) => organization)),
    binaryArray.uuid(rows.map(({ serverId }) => serverId)),
    binaryArray.int8(rows.map(({ piece }) => piece.tLastMs)),
    atMs,
    ...loadsOf(rows),
    earlyAfterMs,
  ])
}

const UPDATE_NEWEST = updateNewest(
  '$4',
  '$9',
  `(
    select * from unnest($1::int4[], $2::uuid[], $3::int8[], $5::int2[], $6::int2[], $7::int2[], $8::bool[])
      as pushed (organization, server_id, t_last, cpu, memory, disk, is_newest)
    where is_newest
    order by organization, server_id
  ) as given`,
)

/** The digests of those that were not there. */
async function insert(client: pg.ClientBase, some: readonly Allowed[], { atMs, day }: Receipt): Promise<string[]> {
  if (some.length === 0) return []
  const { rows } = await client.query<{ digest: Buffer }>(
    `insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
    select t0, digest, t_last, $8::int8, organization, server, $9::date, samples, data
    from unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::int2[], $7::bytea[])
      as given (organization, server, t0, digest, t_last, samples, data)
    on conflict do nothing
    returning int8send(digest) as digest`,
    [
      ...keysOf(some),
      binaryArray.int8(some.map(({ row }) => row.piece.tLastMs)),
      binaryArray.int2(some.map(({ row }) => row.piece.count)),
      binaryArray.bytea(some.map(({ row }) => row.piece.block)),
      atMs,
      day,
    ],
  )
  return rows.map(({ digest }) => digest.toString('latin1'))
}
