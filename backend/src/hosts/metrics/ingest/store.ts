import { binaryArray, isDistributed, isUniqueViolation, type Pool } from '../../../platform/db/index.ts'
import { insertDistributed, type Receipt } from './distributed-store.ts'
import { PUSH_SCOPES } from './push-scopes.ts'
import { earlyAfter, loadsOf, updateNewest } from './newest-store.ts'
import type { PushRow, RowResult } from './push-row.ts'
import { DAY_MS, HOUR_MS, LATE_AFTER_MS } from '../storage/schedule.ts'
import { dayOf } from '../../../platform/time/day.ts'

/**
 * Stores rows and returns the result of each at its index. The statement authorizes the credentials, so that every instance refuses
 * a rotated token or a revoked key from its commit on. A row in the partition of today or yesterday is a duplicate. Idempotent. No
 * two rows may have the same digest. `mayRepeat` is a hint that some rows may be stored already; a wrong hint only costs time.
 * Pushes that come before the interval has passed are announced.
 */
export async function insertPushes(
  pool: Pool,
  rows: readonly PushRow[],
  receivedAtMs: number,
  mayRepeat = true,
  pushIntervalSeconds = 0,
): Promise<RowResult[]> {
  const receipt = receiptOf(receivedAtMs, pushIntervalSeconds)
  if (await isDistributed(pool.db)) return insertDistributed(pool, rows, receipt)
  if (!rows.every(({ piece }) => piece.t0Ms >= receipt.freshFromMs)) return insertClassified(pool, rows, receipt)
  return mayRepeat ? insertFresh(pool, rows, receipt) : insertNew(pool, rows, receipt)
}

/** Pushes that begin earlier belong to an hour that is, or may be, compacted. */
const lateBefore = (receivedAtMs: number): number => Math.floor((receivedAtMs - LATE_AFTER_MS) / HOUR_MS) * HOUR_MS

/**
 * Pushes that begin at this instant or later belong to no compacted hour and cannot have been received yesterday: samples are
 * accepted up to MAX_AHEAD_MS ahead of the clock, far less than the hour that is left here.
 */
const freshFrom = (receivedAtMs: number): number =>
  Math.max(lateBefore(receivedAtMs), Math.floor(receivedAtMs / DAY_MS) * DAY_MS + HOUR_MS)

const receiptOf = (receivedAtMs: number, pushIntervalSeconds: number): Receipt => ({
  atMs: receivedAtMs,
  earlyAfterMs: earlyAfter(receivedAtMs, pushIntervalSeconds),
  day: dayOf(receivedAtMs),
  dayBefore: dayOf(receivedAtMs - DAY_MS),
  lateBeforeMs: lateBefore(receivedAtMs),
  freshFromMs: freshFrom(receivedAtMs),
})

const allStored = (count: number) => Array.from({ length: count }, (): RowResult => 'stored')

/** Rows that are neither late nor may have come yesterday, none of which is there already: the usual ones. */
async function insertNew(pool: Pool, rows: readonly PushRow[], receipt: Receipt): Promise<RowResult[]> {
  const [only] = rows.length === 1 ? rows : []
  const inserting = only
    ? run<[number]>(pool, 'insert_new_push', INSERT_ONE, oneFreshValues(only, receipt))
    : run<[number]>(pool, 'insert_new_pushes', INSERT_NEW, freshValues(rows, receipt))
  const inserted = await unlessRepeated(inserting)
  const count = inserted?.rows[0]?.[0] ?? 0
  if (count === rows.length) return allStored(rows.length)
  // Who may push can change between two statements: what is there now was stored, whatever the next one would say of it.
  const there = count ? await run<[Buffer]>(pool, 'find_pushes', FIND_PUSHES, [...keysOf(rows), receipt.day]) : undefined
  return classifyOthers(pool, rows, receipt, new Set(there?.rows.map(([digest]) => digest.toString('latin1'))))
}

/** Stores rows of which some may be stored already, then classifies those that the statement did not store. */
async function insertFresh(pool: Pool, rows: readonly PushRow[], receipt: Receipt): Promise<RowResult[]> {
  const values = freshValues(rows, receipt)
  const { rows: inserted } =
    (await unlessRepeated(run<[string]>(pool, 'insert_fresh_pushes', INSERT_FRESH, values, AS_SENT))) ?? {}
  if (inserted?.length === rows.length) return allStored(rows.length)
  return classifyOthers(
    pool,
    rows,
    receipt,
    new Set(inserted?.map(([hex]) => Buffer.from(hex.slice(2), 'hex').toString('latin1'))),
  )
}

/** Classifies the rows whose digest is not in `stored`. */
async function classifyOthers(
  pool: Pool,
  rows: readonly PushRow[],
  receipt: Receipt,
  stored: ReadonlySet<string>,
): Promise<RowResult[]> {
  const results = allStored(rows.length)
  const left = rows.flatMap((row, index) => (stored.has(row.piece.digest) ? [] : [{ row, index }]))
  const classified = await insertClassified(
    pool,
    left.map(({ row }) => row),
    receipt,
  )
  for (const [position, { index }] of left.entries()) results[index] = classified[position] as RowResult
  return results
}

const freshValues = (rows: readonly PushRow[], receipt: Receipt) => [
  ...columnsOf(rows),
  receipt.atMs,
  receipt.day,
  new Date(receipt.atMs),
  ...loadsOf(rows),
  receipt.earlyAfterMs,
]

/** The same of one row, without arrays. */
function oneFreshValues({ organization, serverId, credential, bootId, piece }: PushRow, receipt: Receipt): unknown[] {
  const { t0Ms, tLastMs, digest, count, block, load } = piece
  return [
    organization,
    serverId,
    credential,
    bootId,
    t0Ms,
    tLastMs,
    Buffer.from(digest, 'latin1'),
    count,
    block,
    receipt.atMs,
    receipt.day,
    new Date(receipt.atMs),
    load.cpu,
    load.memory,
    load.disk,
    true,
    receipt.earlyAfterMs,
  ]
}

/** Undefined where one of the rows was there already, or another instance stored it meanwhile: none of the statement's was stored. */
async function unlessRepeated<T>(inserting: Promise<T>): Promise<T | undefined> {
  try {
    return await inserting
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

async function insertClassified(pool: Pool, rows: readonly PushRow[], receipt: Receipt): Promise<RowResult[]> {
  const values = [
    ...columnsOf(rows),
    receipt.atMs,
    receipt.day,
    receipt.dayBefore,
    new Date(receipt.atMs),
    ...loadsOf(rows),
    receipt.lateBeforeMs,
    receipt.earlyAfterMs,
  ]
  const result = await run<[number, string]>(pool, 'insert_pushes', INSERT_PUSHES, values)
  const results: RowResult[] = rows.map(() => 'refused')
  for (const [ordinal, what] of result.rows) results[ordinal - 1] = what as RowResult
  return results
}

/** Nearly always they are only counted. */
const AS_SENT = { getTypeParser: () => (text: string) => text }

function run<Row extends unknown[]>(pool: Pool, name: string, text: string, values: unknown[], types?: typeof AS_SENT) {
  return pool.pushes.query<Row>({
    ...(pool.namedStatements && { name }),
    ...(types && { types }),
    text,
    values,
    rowMode: 'array',
  })
}

/** The first nine parameters of each statement. */
function columnsOf(rows: readonly PushRow[]): Buffer[] {
  const column = <T>(pick: (row: PushRow) => T) => rows.map(pick)
  return [
    binaryArray.int4(column((row) => row.organization)),
    binaryArray.uuid(column((row) => row.serverId)),
    binaryArray.bytea(column((row) => row.credential)),
    binaryArray.text(column((row) => row.bootId)),
    binaryArray.int8(column((row) => row.piece.t0Ms)),
    binaryArray.int8(column((row) => row.piece.tLastMs)),
    binaryArray.int8Bytes(column((row) => row.piece.digest)),
    binaryArray.int2(column((row) => row.piece.count)),
    binaryArray.bytea(column((row) => row.piece.block)),
  ]
}

const keysOf = (rows: readonly PushRow[]): Buffer[] => [
  binaryArray.int4(rows.map(({ organization }) => organization)),
  binaryArray.uuid(rows.map(({ serverId }) => serverId)),
  binaryArray.int8(rows.map(({ piece }) => piece.t0Ms)),
  binaryArray.int8Bytes(rows.map(({ piece }) => piece.digest)),
]

/** Whether a credential may push for a server; `$n` is the instant. */
const mayPush = (instant: string): string => `(server.token_hash = input.credential
    or exists (
      select from api_key
      where api_key.organization = input.organization and api_key.hash = input.credential and api_key.revoked_at is null
        and (api_key.expires_at is null or api_key.expires_at > ${instant}) and api_key.scopes && ${PUSH_SCOPES}
    ))`

/** How rows are given: as parameters of their own for one row, or as arrays. */
type ParameterForm = (parameter: number, type: string) => string
const one: ParameterForm = (parameter, type) => `$${parameter}::${type}`
// Arrays side by side in a select list are walked in step; as a function in `from` each would be stored away first.
const many: ParameterForm = (parameter, type) => `unnest($${parameter}::${type}[])`

const insertFromInput = (given: ParameterForm): string => `
insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
select input.t0, input.digest, input.t_last, $10::int8, input.organization, server.number, $11::date, input.samples, input.data
from (
  select ${given(1, 'int4')} as organization, ${given(2, 'uuid')} as server_id, ${given(3, 'bytea')} as credential,
    ${given(4, 'text')} as boot_id, ${given(5, 'int8')} as t0, ${given(6, 'int8')} as t_last, ${given(7, 'int8')} as digest,
    ${given(8, 'int2')} as samples, ${given(9, 'bytea')} as data
) as input
join server on server.organization = input.organization and server.id = input.server_id
where ${mayPush('$12')}
  and (input.boot_id = '' or input.boot_id = coalesce(server.boot_id, ''))`

const updateStored = (given: ParameterForm): string =>
  updateNewest(
    '$10',
    '$17',
    `(
    select ${given(1, 'int4')} as organization, ${given(2, 'uuid')} as server_id, ${given(6, 'int8')} as t_last,
      ${given(7, 'int8')} as digest, ${given(13, 'int2')} as cpu, ${given(14, 'int2')} as memory, ${given(15, 'int2')} as disk,
      ${given(16, 'bool')} as is_newest
  ) as given
  join stored on stored.digest = given.digest and given.is_newest`,
  )

const insertingNew = (given: ParameterForm): string => `
with stored as (${insertFromInput(given)} returning digest), newest as (${updateStored(given)})
select count(*)::int4 from stored`
const INSERT_NEW = insertingNew(many)
// A push of a small fleet comes alone. With arrays Postgres plans it again each time, half of its work: a plan for a known number of rows
// looks cheaper than one for any number, which for hundreds of rows it is.
const INSERT_ONE = insertingNew(one)

// A duplicate is looked for and not left to `on conflict`, which writes each row twice into the log: what remains is another
// instance that stores the same row in the same moment, and then this statement fails as a whole.
const INSERT_FRESH = `
with stored as (${insertFromInput(many)}
  and not exists (
    select from metric_push as earlier
    where earlier.organization = input.organization and earlier.server = server.number and earlier.t0 = input.t0
      and earlier.digest = input.digest and earlier.received_day = $11::date
  )
  returning digest
), newest as (${updateStored(many)})
select int8send(digest) from stored`

const FIND_PUSHES = `
select int8send(push.digest)
from unnest($1::int4[], $2::uuid[], $3::int8[], $4::int8[]) as input (organization, server_id, t0, digest)
join server on server.organization = input.organization and server.id = input.server_id
join metric_push as push on push.organization = input.organization and push.server = server.number and push.t0 = input.t0
  and push.digest = input.digest and push.received_day = $5::date`

// A push that was stored before is an accepted one too.
const NOTE_ALLOWED = updateNewest('$10', '$19', '(select * from allowed where is_known_boot and is_newest) as given')

const INSERT_PUSHES = `
with input as materialized (
  select * from unnest($1::int4[], $2::uuid[], $3::bytea[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int2[], $9::bytea[],
      $14::int2[], $15::int2[], $16::int2[], $17::bool[])
    with ordinality as given (organization, server_id, credential, boot_id, t0, t_last, digest, samples, data, cpu, memory, disk,
      is_newest, n)
), allowed as materialized (
  select input.n, input.organization, input.server_id, server.number as server, input.t0, input.t_last, input.digest, input.samples,
    input.data, input.cpu, input.memory, input.disk, input.is_newest,
    input.boot_id = '' or input.boot_id = coalesce(server.boot_id, '') as is_known_boot
  from input
  join server on server.organization = input.organization and server.id = input.server_id
  where ${mayPush('$13')}
), newest as (${NOTE_ALLOWED}
), stored as (
  insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
  select t0, digest, t_last, $10::int8, organization, server, $11::date, samples, data
  from allowed
  where is_known_boot and not exists (
    select from metric_push as earlier
    where earlier.organization = allowed.organization and earlier.server = allowed.server and earlier.t0 = allowed.t0
      and earlier.digest = allowed.digest and earlier.received_day = $12::date
  )
  on conflict do nothing
  returning organization, server, t0, digest
), late as (
  -- Samples of hours that are, or may be, compacted. The update never runs but locks the row, so that deleting the mark waits and
  -- sees these samples; a new row version for each push would triple the WAL.
  insert into metric_late (marked_at, hour, organization, server)
  select distinct $10::int8, (t0 / ${HOUR_MS})::int4, organization, server from allowed
  where is_known_boot and t0 < $18::int8
  order by 2, 3, 4
  on conflict (hour, organization, server) do update set marked_at = metric_late.marked_at where false
)
select n::int4,
  case when not is_known_boot then 'new_boot'
    when (organization, server, t0, digest) in (select organization, server, t0, digest from stored) then 'stored'
    else 'duplicate' end
from allowed`
