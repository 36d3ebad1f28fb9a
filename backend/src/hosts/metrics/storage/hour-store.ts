import { sql } from 'kysely'
import { binaryArray, type Db, isDistributed, type Pool, copyRows } from '../../../platform/db/index.ts'
import type { TimedBlock } from '@vedette/shared/metrics/block'
import { given, organizationsOf, pairsOf, serversOf, without } from './given-store.ts'
import type { StoredHour } from './hour.ts'
import { dateOfDay, dateOfHour, type HourSpan, type ServerHour, type ServerKey, type ServerSet } from './keys.ts'
import { HOUR_MS } from './schedule.ts'

/**
 * The committed blocks of these servers for the hour, ordered by server and first instant. Each server has one row with two values:
 * one row per block costs this program more than joining them, and prefixing and ordering the blocks is cheaper here.
 */
export async function readHourBlocks(
  pool: Pick<Pool, 'db' | 'pg'>,
  servers: readonly ServerKey[],
  hour: number,
): Promise<(ServerKey & { blocks: TimedBlock[] })[]> {
  const rows = await copyRows(pool, (await isDistributed(pool.db)) ? selectOfNodes(servers, hour) : selectOneByOne(servers, hour))
  return rows.map((row) => {
    const [organization, server, heads, blocks] = row as [Buffer, Buffer, Buffer, Buffer]
    return { organization: organization.readInt32BE(), server: server.readInt32BE(), blocks: unpack(heads, blocks) }
  })
}

const PACKED = `string_agg(int8send(t0) || int4send(length(data)), ''::bytea) as heads, string_agg(data, ''::bytea) as blocks`
const ofGiven = (hour: number): string => `pushed.organization = given.organization and pushed.server = given.server
  and t0 >= ${hour * HOUR_MS} and t0 < ${(hour + 1) * HOUR_MS}`

/** Half the time of a distributed query, because nothing is sorted or grouped. */
const selectOneByOne = (servers: readonly ServerKey[], hour: number): string => `
  select given.organization, given.server, heads, blocks from ${inText(servers)},
    lateral (select ${PACKED} from metric_push as pushed where ${ofGiven(hour)}) as own
  where blocks is not null`

/** Citus takes no aggregate in a lateral subquery. Servers in order spare sorting the blocks by them. */
const selectOfNodes = (servers: readonly ServerKey[], hour: number): string => `
  select pushed.organization, pushed.server, ${PACKED}
  from (select * from ${inText(servers)} order by organization, server) as given
  join metric_push as pushed on ${ofGiven(hour)}
  group by pushed.organization, pushed.server`

/** The servers without a stored hour. */
export async function withoutHour(db: Db, servers: readonly ServerKey[], hour: number): Promise<ServerKey[]> {
  if (servers.length === 0) return []
  const { rows } = await sql<ServerKey>`
    select given.organization, given.server from ${given(servers)}
    join metric_hour as stored on stored.organization = given.organization and stored.server = given.server
      and hour = ${hour} and day = ${dateOfHour(hour)}::date`.execute(db)
  return without(servers, rows)
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

/** Replaces hours that are stored already. */
export async function upsertHours(db: Db, hour: number, rows: readonly (ServerKey & StoredHour)[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into metric_hour (organization, server, hour, day, samples, header, data)
    select organization, server, ${hour}::int4, ${dateOfHour(hour)}::date, samples, header, data from unnest(
      ${organizationsOf(rows)}::int4[], ${serversOf(rows)}::int4[], ${binaryArray.int4(rows.map(({ samples }) => samples))}::int4[],
      ${binaryArray.bytea(rows.map(({ header }) => header))}::bytea[], ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (organization, server, samples, header, data)
    on conflict (organization, server, hour, day) do update
    set samples = excluded.samples, header = excluded.header, data = excluded.data`.execute(db)
}

export interface HourRow extends ServerKey {
  hour: number
  data: Buffer
}

/** The hours [from, to) of these servers, in order. */
export async function readHourRows(db: Db, servers: readonly ServerKey[], { from, to }: HourSpan): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`
    select stored.organization, stored.server, hour, data from ${given(servers)}
    join metric_hour as stored on stored.organization = given.organization and stored.server = given.server
      and hour >= ${from} and hour < ${to} and day >= ${dateOfHour(from)}::date and day <= ${dateOfHour(to)}::date
    order by hour`.execute(db)
  return rows
}

/** The committed hours of a day of these servers, in order, as Postgres keeps them: the driver takes half of the work with text. */
export async function copyHoursOfDay(pool: Pick<Pool, 'pg'>, servers: readonly ServerKey[], day: number): Promise<HourRow[]> {
  const rows = await copyRows(
    pool,
    `select stored.organization, stored.server, hour, data from ${inText(servers)}
    join metric_hour as stored on stored.organization = given.organization and stored.server = given.server
      and day = '${dateOfDay(day)}'::date
    order by hour`,
  )
  return rows.map((row) => {
    const [organization, server, hour, data] = row as [Buffer, Buffer, Buffer, Buffer]
    return { organization: organization.readInt32BE(), server: server.readInt32BE(), hour: hour.readInt32BE(), data }
  })
}

/** The samples of these hours of an organization's servers, of days that are not finished. */
export async function readHourPieces(
  db: Db,
  organization: number,
  hours: readonly ServerHour[],
): Promise<(ServerHour & { data: Buffer })[]> {
  if (hours.length === 0) return []
  const days = hours.map(({ hour }) => hour)
  const { rows } = await sql<ServerHour & { data: Buffer }>`
    select stored.server, stored.hour, data from ${pairsOf(hours)}
    join metric_hour as stored on organization = ${organization} and stored.server = given.server and stored.hour = given.hour
      and day >= ${dateOfHour(Math.min(...days))}::date and day <= ${dateOfHour(Math.max(...days))}::date`.execute(db)
  return rows
}

/** Removes the hours of a day of one server, which its row of the day has. */
export async function deleteHoursOf(db: Db, { organization, server }: ServerKey, day: number): Promise<void> {
  await sql`delete from metric_hour where organization = ${organization} and server = ${server} and day = ${dateOfDay(day)}::date`.execute(
    db,
  )
}

/** The samples of the newest compacted hour of each of these servers, of days that are not finished. */
export async function readNewestHours(db: Db, { organization, servers }: ServerSet): Promise<(ServerHour & { data: Buffer })[]> {
  const { rows } = await sql<ServerHour & { data: Buffer }>`
    select given.server, newest.hour, newest.data from unnest(${servers}::int4[]) as given (server)
    cross join lateral (
      select hour, data from metric_hour where organization = ${organization} and metric_hour.server = given.server
      order by hour desc limit 1
    ) as newest`.execute(db)
  return rows
}
