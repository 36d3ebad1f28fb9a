import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { StoredPiece } from '../aggregate.ts'
import { DAY_MS, type StoredDay } from './day.ts'
import { HOUR_MS, type StoredHour } from './hour.ts'

/** Class of the advisory locks of hours: whoever puts an hour together, or takes late samples into it, does so alone. */
const HOUR_LOCK = 730_525

/** A server by its surrogates. */
export interface ServerKey {
  organization: number
  server: number
}

/** The last hour and day since the epoch that are put together, -1 before the first. */
export interface Progress {
  hour: number
  day: number
}

export interface LateMark extends ServerKey {
  hour: number
}

export const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const dateOfHour = (hour: number): string => toDate(hour * HOUR_MS)
export const dateOfDay = (day: number): string => toDate(day * DAY_MS)

/** Held until the transaction ends. */
export async function lockHour(db: Db, hour: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${HOUR_LOCK}, ${hour})`.execute(db)
}

/** Held until the transaction ends. Take it before the lock of an hour. */
export async function lockDay(db: Db, day: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${HOUR_LOCK}, ${-1 - day})`.execute(db)
}

export async function readProgress(db: Db): Promise<Progress> {
  const rows = await db.selectFrom('metric_progress').select(['name', 'done']).execute()
  const doneOf = (name: string) => rows.find((row) => row.name === name)?.done ?? -1
  return { hour: doneOf('hour'), day: doneOf('day') }
}

export async function setProgress(db: Db, name: 'hour' | 'day', done: number): Promise<void> {
  await db
    .insertInto('metric_progress')
    .values({ name, done })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ done }))
    .execute()
}

/** The next servers after this one. */
export async function listServers(db: Db, after: ServerKey, limit: number): Promise<ServerKey[]> {
  const { rows } = await sql<ServerKey>`
    select organization, number as server from server
    where (organization, number) > (${after.organization}, ${after.server})
    order by organization, number limit ${limit}`.execute(db)
  return rows
}

/**
 * The pushes of these servers for the hour, by server, those of a server by first instant; without the servers whose hour is there
 * already. They come as one value for each server: rows of their own cost this program more than putting them together.
 */
export async function readHourPushes(
  db: Db,
  servers: readonly ServerKey[],
  hour: number,
): Promise<(ServerKey & { pieces: StoredPiece[] })[]> {
  const { rows } = await sql<ServerKey & { packed: Buffer }>`
    select found.organization, found.server, string_agg(
      int8send(t0) || int8send(t_last) || int8send(received_at) || int8send(digest) || int4send(length(data)) || data, ''::bytea
      order by t0
    ) as packed
    from ${given(servers)}
    join metric_push as found on found.organization = given.organization and found.server = given.server
      and t0 >= ${hour * HOUR_MS} and t0 < ${(hour + 1) * HOUR_MS}
    where not exists (
      select from metric_hour where metric_hour.organization = given.organization and metric_hour.server = given.server
        and hour = ${hour} and day = ${dateOfHour(hour)}::date
    )
    group by found.organization, found.server`.execute(db)
  return rows.map(({ organization, server, packed }) => ({ organization, server, pieces: unpack(packed) }))
}

/** As the statement above packs them: four numbers of 8 bytes, the length of the block in 4, the block. */
function unpack(packed: Buffer): StoredPiece[] {
  const pieces: StoredPiece[] = []
  for (let at = 0; at < packed.length; ) {
    const start = at + PACKED_HEAD
    const end = start + packed.readUInt32BE(at + 32)
    pieces.push({
      t0Ms: readInt8(packed, at),
      tLastMs: readInt8(packed, at + 8),
      receivedAtMs: readInt8(packed, at + 16),
      digest: packed.subarray(at + 24, at + 32),
      block: packed.subarray(start, end),
    })
    at = end
  }
  return pieces
}
const PACKED_HEAD = 36

/** Instants in ms are far below 2^53. */
const readInt8 = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)

/** All pushes of a server for the hour, by first instant. */
export async function readPushesOf(db: Db, { organization, server }: ServerKey, hour: number): Promise<StoredPiece[]> {
  const { rows } = await sql<PushColumns>`
    select t0, t_last, received_at, int8send(digest) as digest, data from metric_push
    where organization = ${organization} and server = ${server} and t0 >= ${hour * HOUR_MS} and t0 < ${(hour + 1) * HOUR_MS}
    order by t0`.execute(db)
  return rows.map(pieceOf)
}

interface PushColumns {
  t0: number
  t_last: number
  received_at: number
  digest: Buffer
  data: Buffer
}

const pieceOf = (row: PushColumns): StoredPiece => ({
  t0Ms: row.t0,
  tLastMs: row.t_last,
  receivedAtMs: row.received_at,
  digest: row.digest,
  block: row.data,
})

const given = (servers: readonly ServerKey[]) => sql`unnest(
  ${servers.map(({ organization }) => organization)}::int[], ${servers.map(({ server }) => server)}::int[]
) as given (organization, server)`

/** Puts the hours in place of what stands there. */
export async function upsertHours(db: Db, rows: readonly (ServerKey & StoredHour)[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('metric_hour')
    .values(
      rows.map(({ header, data, ...row }) => ({
        ...row,
        day: dateOfHour(row.hour),
        header: Buffer.from(header),
        data: Buffer.from(data),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization', 'server', 'hour', 'day']).doUpdateSet((eb) => ({
        samples: eb.ref('excluded.samples'),
        header: eb.ref('excluded.header'),
        data: eb.ref('excluded.data'),
      })),
    )
    .execute()
}

/** The samples of the hours [from, to) of these servers, in the order of the hours. */
export async function readHourData(
  db: Db,
  servers: readonly ServerKey[],
  { from, to }: { from: number; to: number },
): Promise<(ServerKey & { hour: number; header: Buffer; data: Buffer })[]> {
  const { rows } = await sql<ServerKey & { hour: number; header: Buffer; data: Buffer }>`
    select found.organization, found.server, hour, header, data
    from ${given(servers)}
    join metric_hour as found on found.organization = given.organization and found.server = given.server
      and hour >= ${from} and hour < ${to} and day >= ${dateOfHour(from)}::date and day <= ${dateOfHour(to)}::date
    order by hour`.execute(db)
  return rows
}

/** Servers of one organization, and what is asked of them. */
export interface ServerSet {
  organization: number
  servers: readonly number[]
}

/** Hours [from, to) since the epoch. */
export interface HourSpan {
  from: number
  to: number
}

/** The samples of these hours of these servers, as pairs. */
export async function readHourPieces(
  db: Db,
  organization: number,
  pairs: readonly { server: number; hour: number }[],
): Promise<{ server: number; hour: number; header: Buffer; data: Buffer }[]> {
  if (pairs.length === 0) return []
  const hours = pairs.map(({ hour }) => hour)
  const { rows } = await sql<{ server: number; hour: number; header: Buffer; data: Buffer }>`
    select found.server, found.hour, header, data from ${pairsOf(pairs)}
    join metric_hour as found on organization = ${organization} and found.server = given.server and found.hour = given.hour
      and day >= ${dateOfHour(Math.min(...hours))}::date and day <= ${dateOfHour(Math.max(...hours))}::date`.execute(db)
  return rows
}

/** The hours since the epoch that have samples of the server, in order, wherever they stand. */
export async function listSampleHours(db: Db, { organization, server }: ServerKey): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select hour from metric_hour where organization = ${organization} and server = ${server}
    union
    select (t0 / ${sql.lit(HOUR_MS)})::int from metric_push where organization = ${organization} and server = ${server}
    order by 1`.execute(db)
  return rows.map(({ hour }) => hour)
}

/** The pushes for these hours of these servers, as pairs. */
export async function readLatePushes(
  db: Db,
  organization: number,
  pairs: readonly { server: number; hour: number }[],
): Promise<(StoredPiece & { server: number })[]> {
  if (pairs.length === 0) return []
  const { rows } = await sql<PushColumns & { server: number }>`
    select found.server, t0, t_last, received_at, int8send(digest) as digest, data from ${pairsOf(pairs)}
    join metric_push as found on organization = ${organization} and found.server = given.server
      and t0 >= given.hour::bigint * ${sql.lit(HOUR_MS)} and t0 < (given.hour + 1)::bigint * ${sql.lit(HOUR_MS)}`.execute(db)
  return rows.map((row) => ({ server: row.server, ...pieceOf(row) }))
}

const pairsOf = (pairs: readonly { server: number; hour: number }[]) => sql`unnest(
  ${pairs.map(({ server }) => server)}::int[], ${pairs.map(({ hour }) => hour)}::int[]
) as given (server, hour)`

/** Puts a day in place of what stands there. */
export async function replaceDay(
  db: Db,
  { organization, server }: ServerKey,
  day: number,
  groups: readonly StoredDay[],
): Promise<void> {
  await db
    .deleteFrom('metric_day')
    .where('organization', '=', organization)
    .where('server', '=', server)
    .where('day', '=', dateOfDay(day))
    .execute()
  if (groups.length === 0) return
  await db
    .insertInto('metric_day')
    .values(
      groups.map(({ number, header, data }) => ({
        organization,
        server,
        day: dateOfDay(day),
        metric_group: number,
        header: Buffer.from(header),
        data: Buffer.from(data),
      })),
    )
    .execute()
}

/** The newest hour of each of these servers that is put together. */
export async function readNewestHours(
  db: Db,
  { organization, servers }: ServerSet,
): Promise<{ server: number; hour: number; header: Buffer; data: Buffer }[]> {
  const { rows } = await sql<{ server: number; hour: number; header: Buffer; data: Buffer }>`
    select given.server, newest.hour, newest.header, newest.data from unnest(${servers}::int4[]) as given (server)
    cross join lateral (
      select hour, header, data from metric_hour where organization = ${organization} and metric_hour.server = given.server
      order by hour desc limit 1
    ) as newest`.execute(db)
  return rows
}

/** The oldest marks of hours that are put together already. */
export function listLate(db: Db, progress: Progress, limit: number): Promise<LateMark[]> {
  return db
    .selectFrom('metric_late')
    .select(['hour', 'organization', 'server'])
    .where('hour', '<=', progress.hour)
    .orderBy('hour')
    .orderBy('organization')
    .orderBy('server')
    .limit(limit)
    .execute()
}

/** Waits for whoever is adding late samples to the hour just now. Whether the mark was there still. */
export async function takeLate(db: Db, { hour, organization, server }: LateMark): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('metric_late')
    .where('hour', '=', hour)
    .where('organization', '=', organization)
    .where('server', '=', server)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** When the oldest late sample came that is not where it belongs yet, ms; undefined when all are. */
export async function oldestMark(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.min<number | null>('marked_at').as('oldest'))
    .executeTakeFirstOrThrow()
  return row.oldest ?? undefined
}

/** The oldest hour since the epoch that has late samples which are not in it yet. */
export async function oldestLateHour(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.min<number | null>('hour').as('oldest'))
    .executeTakeFirstOrThrow()
  return row.oldest ?? undefined
}

/** The hour since the epoch of the oldest push that is not before this one. Reads all pushes: for when a gap is to be passed. */
export async function nextPushedHour(db: Db, hour: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_push')
    .select((eb) => eb.fn.min<number | null>('t0').as('oldest'))
    .where('t0', '>=', hour * HOUR_MS)
    .executeTakeFirstOrThrow()
  return row.oldest === null ? undefined : Math.floor(row.oldest / HOUR_MS)
}

/** How many hours of servers have late samples that are not in them yet. */
export async function countMarks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Removes what is put together of a server, or of a whole organization. */
export async function deleteRollups(db: Db, organization: number, server?: number): Promise<void> {
  for (const table of ['metric_hour', 'metric_day', 'metric_late', 'metric_dimension'] as const) {
    const all = db.deleteFrom(table).where('organization', '=', organization)
    await (server === undefined ? all : all.where('server', '=', server)).execute()
  }
}
