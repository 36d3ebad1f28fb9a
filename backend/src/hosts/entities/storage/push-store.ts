import { sql } from 'kysely'
import { binaryArray, type Db, type Pool } from '../../../platform/db/index.ts'

/** All entities of a server at one instant. */
export interface PushedReadings {
  organization: number
  server: number
  at: number
  data: Uint8Array
}

/** Stores them, each once. */
export async function insertReadings(
  { queryNamed }: Pick<Pool, 'queryNamed'>,
  rows: readonly PushedReadings[],
  receivedAtMs: number,
): Promise<void> {
  await queryNamed({
    sql: INSERT,
    parameters: [
      binaryArray.int4(rows.map(({ organization }) => organization)),
      binaryArray.int4(rows.map(({ server }) => server)),
      binaryArray.int8(rows.map(({ at }) => at)),
      binaryArray.bytea(rows.map(({ data }) => data)),
      receivedAtMs,
    ],
  })
}

const INSERT = `
insert into entity_push (at, received_at, organization, server, data)
select at, $5::int8, organization, server, data from unnest($1::int4[], $2::int4[], $3::int8[], $4::bytea[])
  as given (organization, server, at, data)
on conflict do nothing`

export interface ReadingsRow {
  server: number
  at: number
  received_at: number
  data: Buffer
}

/** The newest readings of each of these servers. */
export async function readNewest(db: Db, organization: number, servers: readonly number[]): Promise<ReadingsRow[]> {
  const { rows } = await sql<ReadingsRow>`
    select given.server, newest.at, newest.received_at, newest.data from unnest(${servers}::int4[]) as given (server)
    cross join lateral (
      select at, received_at, data from entity_push
      where organization = ${organization} and entity_push.server = given.server order by at desc limit 1
    ) as newest`.execute(db)
  return rows
}

/** The same; data only of readings at another instant than the known one, which is 0 where none is known. */
export async function readOtherNewest(
  db: Db,
  organization: number,
  servers: readonly { server: number; knownAtMs: number }[],
): Promise<(Omit<ReadingsRow, 'data'> & { data: Buffer | null })[]> {
  const { rows } = await sql<Omit<ReadingsRow, 'data'> & { data: Buffer | null }>`
    select given.server, newest.at, newest.received_at, case when newest.at <> given.known then newest.data end as data
    from unnest(${servers.map(({ server }) => server)}::int4[], ${servers.map(({ knownAtMs }) => knownAtMs)}::int8[])
      as given (server, known)
    cross join lateral (
      select at, received_at, data from entity_push
      where organization = ${organization} and entity_push.server = given.server order by at desc limit 1
    ) as newest`.execute(db)
  return rows
}

/** Those of the server in [fromMs, toMs) that are not compacted, in order. */
export function readPushed(
  db: Db,
  organization: number,
  server: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<ReadingsRow[]> {
  return db
    .selectFrom('entity_push')
    .select(['server', 'at', 'received_at', 'data'])
    .where('organization', '=', organization)
    .where('server', '=', server)
    .where('at', '>=', fromMs)
    .where('at', '<', toMs)
    .where('is_compacted', '=', false)
    .orderBy('at')
    .execute()
}

/**
 * Servers with readings before the instant that are not their newest. Removes what is compacted and was sent by all exports, or was
 * received before `sentBeforeMs`.
 */
export async function listUncompacted(
  db: Db,
  beforeMs: number,
  sentBeforeMs: number,
): Promise<{ organization: number; server: number }[]> {
  const { rows } = await sql<{ organization: number; server: number }>`
    with sent as (
      delete from entity_push as push where is_compacted and (
        received_at < ${sentBeforeMs}::int8 or not exists (
          select from metric_export as export where export.organization = push.organization and 'entities' = any(export.samples)
            and export.entity_cursor_received_at <= push.received_at
        )
      )
    )
    select organization, server from entity_push where not is_compacted
    group by organization, server having count(*) filter (where at < ${beforeMs}) > (max(at) < ${beforeMs})::int`.execute(db)
  return rows
}

/** Takes those away, in order; the newest stays for lists, and what an export has not sent yet, marked as compacted. */
export async function takeReadings(db: Db, organization: number, server: number, beforeMs: number): Promise<ReadingsRow[]> {
  const ended = sql`
    organization = ${organization} and server = ${server} and at < ${beforeMs} and not is_compacted
    and at < (select max(at) from entity_push where organization = ${organization} and server = ${server})`
  const { rows } = await sql<ReadingsRow>`
    with unsent as (
      select min(entity_cursor_received_at) as from_ms from metric_export
      where organization = ${organization} and 'entities' = any(samples)
    ), kept as (
      update entity_push set is_compacted = true where ${ended} and received_at >= (select from_ms from unsent)
      returning server, at, received_at, data
    ), gone as (
      delete from entity_push where ${ended} and (received_at >= (select from_ms from unsent)) is not true
      returning server, at, received_at, data
    )
    select * from kept union all select * from gone`.execute(db)
  return rows.sort((one, other) => one.at - other.at)
}
