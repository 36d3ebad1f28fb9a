import { binaryArray, type Db, isDistributed, isUniqueViolation, type Pool, type ReadSource } from '../platform/db/index.ts'
import type { StoredPiece } from './aggregate.ts'
import { insertDistributed } from './distributed-store.ts'
import type { PushRow, RowResult } from './push-row.ts'
import { deleteRollups, LATE_AFTER_MS } from './rollup/index.ts'

/**
 * Stores rows and tells of each, in its place, what became of it. Whoever may push is decided here, by the credential as it is
 * in this very statement: a rotated token or a revoked key is refused on every instance from the moment of its commit.
 * A row that is in today's or yesterday's partition already is a duplicate. Idempotent. No two rows may have the same digest.
 * `mayRepeat`: some may be there already; where none is, being told so makes it dearer, and where one is, not being told.
 */
export async function insertPushes(
  pool: Pool,
  rows: readonly PushRow[],
  receivedAtMs: number,
  mayRepeat = true,
): Promise<RowResult[]> {
  if (await isDistributed(pool.db)) return insertDistributed(pool, rows, receiptOf(receivedAtMs))
  const freshFromMs = freshFrom(receivedAtMs)
  if (!rows.every(({ piece }) => piece.t0Ms >= freshFromMs)) return insertJudged(pool, rows, receivedAtMs)
  return mayRepeat ? insertFresh(pool, rows, receivedAtMs) : insertNew(pool, rows, receivedAtMs)
}

const DAY_MS = 86_400_000
/** No stored row spans more: batches are cut at the hour. */
const HOUR_MS = 3_600_000
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** What begins before lies in an hour that is, or may be, put together. */
const lateBefore = (receivedAtMs: number): number => Math.floor((receivedAtMs - LATE_AFTER_MS) / HOUR_MS) * HOUR_MS

/**
 * What begins at this instant or later is in no hour that is put together, and cannot have been received yesterday: samples are
 * taken up to MAX_AHEAD_MS ahead of the clock, which is far less than the hour that is left for it here.
 */
const freshFrom = (receivedAtMs: number): number =>
  Math.max(lateBefore(receivedAtMs), Math.floor(receivedAtMs / DAY_MS) * DAY_MS + HOUR_MS)

const receiptOf = (receivedAtMs: number) => ({
  atMs: receivedAtMs,
  day: toDay(receivedAtMs),
  dayBefore: toDay(receivedAtMs - DAY_MS),
  lateBeforeMs: lateBefore(receivedAtMs),
  freshFromMs: freshFrom(receivedAtMs),
})

const allStored = (count: number) => Array.from({ length: count }, (): RowResult => 'stored')

/** Rows that are neither late nor may have come yesterday, none of which is there already: the usual ones. */
async function insertNew(pool: Pool, rows: readonly PushRow[], receivedAtMs: number): Promise<RowResult[]> {
  const { rowCount } = (await unlessRepeated(run(pool, 'insert_new_pushes', INSERT_NEW, freshValues(rows, receivedAtMs)))) ?? {}
  if (rowCount === rows.length) return allStored(rows.length)
  // Who may push can change between two statements: what is there now was stored, whatever the next one would say of it.
  const there = rowCount
    ? await run<[Buffer]>(pool, 'find_pushes', FIND_PUSHES, [...keysOf(rows), toDay(receivedAtMs)])
    : undefined
  return judgeOthers(pool, rows, receivedAtMs, new Set(there?.rows.map(([digest]) => digest.toString('latin1'))))
}

/** The same of rows that may be there; those that were not stored are judged then. */
async function insertFresh(pool: Pool, rows: readonly PushRow[], receivedAtMs: number): Promise<RowResult[]> {
  const values = freshValues(rows, receivedAtMs)
  const { rows: told } = (await unlessRepeated(run<[string]>(pool, 'insert_fresh_pushes', INSERT_FRESH, values, AS_SENT))) ?? {}
  if (told?.length === rows.length) return allStored(rows.length)
  return judgeOthers(pool, rows, receivedAtMs, new Set(told?.map(([hex]) => Buffer.from(hex.slice(2), 'hex').toString('latin1'))))
}

/** Judges the rows whose digest is not among those that are stored. */
async function judgeOthers(
  pool: Pool,
  rows: readonly PushRow[],
  receivedAtMs: number,
  stored: ReadonlySet<string>,
): Promise<RowResult[]> {
  const results = allStored(rows.length)
  const left = rows.flatMap((row, index) => (stored.has(row.piece.digest) ? [] : [{ row, index }]))
  const judged = await insertJudged(
    pool,
    left.map(({ row }) => row),
    receivedAtMs,
  )
  for (const [place, { index }] of left.entries()) results[index] = judged[place] as RowResult
  return results
}

const freshValues = (rows: readonly PushRow[], receivedAtMs: number) => [
  ...columnsOf(rows),
  receivedAtMs,
  toDay(receivedAtMs),
  new Date(receivedAtMs),
]

/** Undefined where one of the rows was there already, or another instance stored it meanwhile: none of the statement's was stored. */
async function unlessRepeated<T>(inserting: Promise<T>): Promise<T | undefined> {
  try {
    return await inserting
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

async function insertJudged(pool: Pool, rows: readonly PushRow[], receivedAtMs: number): Promise<RowResult[]> {
  const values = [
    ...columnsOf(rows),
    receivedAtMs,
    toDay(receivedAtMs),
    toDay(receivedAtMs - DAY_MS),
    new Date(receivedAtMs),
    lateBefore(receivedAtMs),
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

/** The first nine parameters of both statements. */
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
        and (api_key.expires_at is null or api_key.expires_at > ${instant}) and api_key.scopes && array['agent', 'admin']
    ))`

// Arrays side by side in a select list are walked in step; as a function in `from` each would be stored away first.
const INSERT_NEW = `
insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
select input.t0, input.digest, input.t_last, $10::int8, input.organization, server.number, $11::date, input.samples, input.data
from (
  select unnest($1::int4[]) as organization, unnest($2::uuid[]) as server_id, unnest($3::bytea[]) as credential,
    unnest($4::text[]) as boot_id, unnest($5::int8[]) as t0, unnest($6::int8[]) as t_last, unnest($7::int8[]) as digest,
    unnest($8::int2[]) as samples, unnest($9::bytea[]) as data
) as input
join server on server.organization = input.organization and server.id = input.server_id
where ${mayPush('$12')}
  and (input.boot_id = '' or input.boot_id = coalesce(server.boot_id, ''))`

// A duplicate is looked for and not left to `on conflict`, which writes each row twice into the log: what remains is another
// instance that stores the same row in the same moment, and then this statement fails as a whole.
const INSERT_FRESH = `${INSERT_NEW}
  and not exists (
    select from metric_push as earlier
    where earlier.organization = input.organization and earlier.server = server.number and earlier.t0 = input.t0
      and earlier.digest = input.digest and earlier.received_day = $11::date
  )
returning int8send(digest)`

const FIND_PUSHES = `
select int8send(push.digest)
from unnest($1::int4[], $2::uuid[], $3::int8[], $4::int8[]) as input (organization, server_id, t0, digest)
join server on server.organization = input.organization and server.id = input.server_id
join metric_push as push on push.organization = input.organization and push.server = server.number and push.t0 = input.t0
  and push.digest = input.digest and push.received_day = $5::date`

const INSERT_PUSHES = `
with input as materialized (
  select * from unnest($1::int4[], $2::uuid[], $3::bytea[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int2[], $9::bytea[])
    with ordinality as given (organization, server_id, credential, boot_id, t0, t_last, digest, samples, data, n)
), allowed as materialized (
  select input.n, input.organization, server.number as server, input.t0, input.t_last, input.digest, input.samples, input.data,
    input.boot_id = '' or input.boot_id = coalesce(server.boot_id, '') as is_known_boot
  from input
  join server on server.organization = input.organization and server.id = input.server_id
  where ${mayPush('$13')}
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
  -- Samples of hours that are, or may be, put together. The update never takes place, but the row is locked for it, so that
  -- whoever takes the mark away waits and sees these samples; a version of the row for each push would be 3 times the log.
  insert into metric_late (marked_at, hour, organization, server)
  select distinct $10::int8, (t0 / ${HOUR_MS})::int4, organization, server from allowed
  where is_known_boot and t0 < $14::int8
  order by 2, 3, 4
  on conflict (hour, organization, server) do update set marked_at = metric_late.marked_at where false
)
select n::int4,
  case when not is_known_boot then 'new_boot'
    when (organization, server, t0, digest) in (select organization, server, t0, digest from stored) then 'stored'
    else 'duplicate' end
from allowed`

/**
 * Per server the rows that may hold its newest sample: those that overlap the row with the latest end. It lies in the hour of the
 * latest beginning, since no row crosses an hour.
 */
export async function readNewestPieces(
  from: ReadSource,
  organization: number,
  servers: readonly number[],
  sinceMs: number,
): Promise<(StoredPiece & { server: number })[]> {
  const rows = await from.ask<{ server: number; t0: number; t_last: number; received_at: number; digest: Buffer; data: Buffer }>({
    sql: NEWEST_PIECES,
    parameters: [organization, servers, toDay(sinceMs)],
  })
  return rows.map((row) => ({
    server: row.server,
    t0Ms: row.t0,
    tLastMs: row.t_last,
    receivedAtMs: row.received_at,
    digest: row.digest,
    block: row.data,
  }))
}

const NEWEST_PIECES = `
select given.server, piece.t0, piece.t_last, piece.received_at, int8send(piece.digest) as digest, piece.data
from unnest($2::int4[]) as given (server)
cross join lateral (
  select t0, t_last, received_at, digest, data, max(t_last) over () as newest
  from metric_push
  where organization = $1 and metric_push.server = given.server and received_day >= $3
    and t0 >= (
      select t0 / ${HOUR_MS} * ${HOUR_MS} from metric_push as last
      where last.organization = $1 and last.server = given.server and last.received_day >= $3
      order by t0 desc limit 1
    )
) as piece
where piece.t_last = piece.newest`

/** Removes all samples of a server that is deleted. */
export async function deletePushes(db: Db, organization: number, server: number): Promise<void> {
  await db.deleteFrom('metric_push').where('organization', '=', organization).where('server', '=', server).execute()
  await deleteRollups(db, organization, server)
}

/** Removes all samples of an organization that is deleted. */
export async function deleteOrganizationSamples(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('metric_push').where('organization', '=', organization).execute()
  await deleteRollups(db, organization)
}
