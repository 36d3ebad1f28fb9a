import { sql } from 'kysely'
import { binaryArray, type Db, isDistributed, type Pool, readCopied } from '../../platform/db/index.ts'
import type { StoredPiece } from '../aggregate.ts'
import type { TimedBlock } from '../block/index.ts'
import { DAY_MS, type StoredDay } from './day.ts'
import { HOUR_MS, type StoredHour } from './hour.ts'
import { waitForLate } from './nodes-store.ts'
import type { Stored } from './tail.ts'

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

/**
 * The blocks of these servers for the hour that are committed, those of a server by first instant; without the servers whose hour is
 * there already. They come as two values for each server: rows of their own cost this program more than putting them together, and to
 * put a head before each block, and the blocks in order, is cheaper here.
 */
export async function readHourBlocks(
  pool: Pick<Pool, 'db' | 'pg'>,
  servers: readonly ServerKey[],
  hour: number,
): Promise<(ServerKey & { blocks: TimedBlock[] })[]> {
  const apart = await isDistributed(pool.db)
  const rows = await readCopied(pool, apart ? selectOfNodes(servers, hour) : selectOneByOne(servers, hour))
  const found = rows.map((row) => {
    const [organization, server, heads, blocks] = row as [Buffer, Buffer, Buffer, Buffer]
    return { organization: organization.readInt32BE(), server: server.readInt32BE(), blocks: unpack(heads, blocks) }
  })
  return apart ? withoutHour(pool.db, found, hour) : found
}

const PACKED = `string_agg(int8send(t0) || int4send(length(data)), ''::bytea) as heads, string_agg(data, ''::bytea) as blocks`
const ofGiven = (hour: number): string => `pushed.organization = given.organization and pushed.server = given.server
  and t0 >= ${hour * HOUR_MS} and t0 < ${(hour + 1) * HOUR_MS}`

/** Half the time of what nodes are asked: nothing is sorted and grouped. */
const selectOneByOne = (servers: readonly ServerKey[], hour: number): string => `
  select given.organization, given.server, heads, blocks from ${inText(servers)},
    lateral (select ${PACKED} from metric_push as pushed where ${ofGiven(hour)}) as own
  where blocks is not null and not exists (select from metric_hour where ${ofHour(hour, 'given')})`

/** Citus takes no aggregate in a lateral subquery. Servers in order spare sorting the blocks by them. */
const selectOfNodes = (servers: readonly ServerKey[], hour: number): string => `
  select pushed.organization, pushed.server, ${PACKED}
  from (select * from ${inText(servers)} order by organization, server) as given
  join metric_push as pushed on ${ofGiven(hour)}
  group by pushed.organization, pushed.server`

const ofHour = (hour: number, of: string): string =>
  `metric_hour.organization = ${of}.organization and metric_hour.server = ${of}.server
    and hour = ${hour} and day = '${dateOfHour(hour)}'::date`

/** Those whose hour is not there: nodes do not look for it beside the pushes that they join with what is given. */
async function withoutHour<Key extends ServerKey>(db: Db, servers: readonly Key[], hour: number): Promise<Key[]> {
  if (servers.length === 0) return []
  const { rows } = await sql<ServerKey>`
    select given.organization, given.server from ${given(servers)} join metric_hour on ${sql.raw(ofHour(hour, 'given'))}`.execute(
    db,
  )
  const nameOf = ({ organization, server }: ServerKey) => `${organization}/${server}`
  const there = new Set(rows.map(nameOf))
  return servers.filter((key) => !there.has(nameOf(key)))
}

/** For a statement without parameters. */
const inText = (servers: readonly ServerKey[]): string =>
  `unnest('{${servers.map(({ organization }) => organization).join()}}'::int4[],
    '{${servers.map(({ server }) => server).join()}}'::int4[]) as given (organization, server)`

/** As the statement above packs them: heads of the instant in 8 bytes and the length of the block in 4, and the blocks, in one order. */
function unpack(heads: Buffer, bytes: Buffer): TimedBlock[] {
  const blocks: TimedBlock[] = []
  let start = 0
  for (let at = 0; at < heads.length; at += HEAD) {
    const end = start + heads.readUInt32BE(at + 8)
    blocks.push({ t0Ms: readInt8(heads, at), block: bytes.subarray(start, end) })
    start = end
  }
  return blocks.sort((left, right) => left.t0Ms - right.t0Ms)
}
const HEAD = 12

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
  ${organizationsOf(servers)}::int4[], ${serversOf(servers)}::int4[]
) as given (organization, server)`
const organizationsOf = (keys: readonly ServerKey[]): Buffer => binaryArray.int4(keys.map(({ organization }) => organization))
const serversOf = (keys: readonly ServerKey[]): Buffer => binaryArray.int4(keys.map(({ server }) => server))

/** Puts the hours in place of what stands there. */
export async function upsertHours(db: Db, hour: number, rows: readonly (ServerKey & StoredHour)[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into metric_hour (organization, server, hour, day, samples, header, data)
    select organization, server, ${hour}::int4, ${dateOfHour(hour)}::date, samples, header, data from unnest(
      ${organizationsOf(rows)}::int4[], ${serversOf(rows)}::int4[], ${binaryArray.int4(rows.map(({ samples }) => samples))}::int4[],
      ${binaryArray.bytea(rows.map(({ header }) => header))}::bytea[], ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (organization, server, samples, header, data)
    on conflict (organization, server, hour, day)
    do update set samples = excluded.samples, header = excluded.header, data = excluded.data`.execute(db)
}

/** An hour of a server as it is stored. */
export interface HourOf extends ServerKey, Stored {
  hour: number
}

/** The samples of the hours [from, to) of these servers, in the order of the hours. */
export async function readHourData(db: Db, servers: readonly ServerKey[], span: HourSpan): Promise<HourOf[]> {
  const { rows } = await sql<HourOf>`${sql.raw(selectHourData(servers, span))}`.execute(db)
  return rows
}

/** The headers alone, of those that are committed. */
export async function copyHourHeaders(
  pool: Pick<Pool, 'pg'>,
  servers: readonly ServerKey[],
  span: HourSpan,
): Promise<Omit<HourOf, 'data'>[]> {
  const rows = await readCopied(pool, selectHourData(servers, span, 'header'))
  return rows.map(toHourKey)
}

/** Those that are committed, read as bytes. */
export async function copyHourData(pool: Pick<Pool, 'pg'>, servers: readonly ServerKey[], span: HourSpan): Promise<HourOf[]> {
  const rows = await readCopied(pool, selectHourData(servers, span))
  return rows.map((row) => ({ ...toHourKey(row), data: row[4] as Buffer }))
}

function toHourKey(row: readonly Buffer[]): Omit<HourOf, 'data'> {
  const [organization, server, hour, header] = row as [Buffer, Buffer, Buffer, Buffer]
  return { organization: organization.readInt32BE(), server: server.readInt32BE(), hour: hour.readInt32BE(), header }
}

const selectHourData = (servers: readonly ServerKey[], { from, to }: HourSpan, columns = 'header, data'): string => `
  select found.organization, found.server, hour, ${columns} from ${inText(servers)}
  join metric_hour as found on found.organization = given.organization and found.server = given.server
    and hour >= ${from} and hour < ${to} and day >= '${dateOfHour(from)}'::date and day <= '${dateOfHour(to)}'::date
  order by hour`

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

/** Puts the day of these servers in place of what stands there. */
export async function replaceDays(
  db: Db,
  day: number,
  days: readonly (ServerKey & { groups: readonly StoredDay[] })[],
): Promise<void> {
  if (days.length === 0) return
  await sql`
    delete from metric_day using ${given(days)}
    where metric_day.organization = given.organization and metric_day.server = given.server
      and day = ${dateOfDay(day)}::date`.execute(db)
  const rows = days.flatMap(({ organization, server, groups }) => groups.map((group) => ({ organization, server, ...group })))
  if (rows.length === 0) return
  await sql`
    insert into metric_day (organization, server, day, metric_group, header, data)
    select organization, server, ${dateOfDay(day)}::date, number, header, data from unnest(
      ${organizationsOf(rows)}::int4[], ${serversOf(rows)}::int4[], ${binaryArray.int2(rows.map(({ number }) => number))}::int2[],
      ${binaryArray.bytea(rows.map(({ header }) => header))}::bytea[], ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (organization, server, number, header, data)`.execute(db)
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
  if (await isDistributed(db)) await waitForLate(db, hour)
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
