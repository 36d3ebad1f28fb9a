import { sql } from 'kysely'
import { binaryArray, type Db } from '../../../platform/db/index.ts'
import { DAY_MS, dayOf } from './days.ts'

/** Readings of one entity within a UTC day. */
export interface ChunkRow {
  entity: number
  /** Days since the epoch. */
  day: number
  t_first: number
  t_last: number
  data: Uint8Array
}

export async function insertChunks(
  db: Db,
  { organization, server }: { organization: number; server: number },
  rows: readonly ChunkRow[],
  { storedAtMs, isMerged }: { storedAtMs: number; isMerged: boolean },
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into entity_chunk (t_first, t_last, stored_at, organization, server, entity, day, is_merged, data)
    select t_first, t_last, ${storedAtMs}::int8, ${organization}::int4, ${server}::int4, entity, day, ${isMerged}::bool, data
    from unnest(
      ${binaryArray.int4(rows.map(({ entity }) => entity))}::int4[], ${rows.map(({ day }) => dayOf(day * DAY_MS))}::date[],
      ${binaryArray.int8(rows.map(({ t_first }) => t_first))}::int8[], ${binaryArray.int8(rows.map(({ t_last }) => t_last))}::int8[],
      ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (entity, day, t_first, t_last, data)`.execute(db)
}

interface Window {
  fromMs: number
  toMs: number
}

/** Of these entities of a server, or of all, what overlaps [fromMs, toMs). */
export async function readChunks(
  db: Db,
  { organization, server, entities }: { organization: number; server: number; entities?: readonly number[] },
  { fromMs, toMs }: Window,
): Promise<{ entity: number; t_first: number; data: Buffer }[]> {
  const { rows } = await sql<{ entity: number; t_first: number; data: Buffer }>`
    select entity, t_first, data from entity_chunk
    where organization = ${organization} and server = ${server}
      ${entities ? sql`and entity = any(${entities}::int4[])` : sql``}
      and day >= ${dayOf(fromMs)}::date and day <= ${dayOf(toMs)}::date and t_last >= ${fromMs} and t_first < ${toMs}
    order by t_first, stored_at`.execute(db)
  return rows
}

/** Servers and ended days with readings that are not merged. */
export async function listUnmerged(db: Db, beforeDay: number): Promise<{ organization: number; server: number; day: string }[]> {
  const { rows } = await sql<{ organization: number; server: number; day: string }>`
    select distinct organization, server, day::text as day from entity_chunk
    where not is_merged and day < ${dayOf(beforeDay * DAY_MS)}::date`.execute(db)
  return rows
}

/** An arbitrary number: together with a server it identifies an advisory lock. */
const MERGE_LOCK = 730_532

/**
 * Until the transaction ends no other process merges days of the server. A statement that waits for rows alone does not see what was
 * inserted in their place: of a late reading it would make a second merged row.
 */
export async function lockMerge(db: Db, server: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MERGE_LOCK}, ${server})`.execute(db)
}

/** Takes all readings of the day away of those entities of the server that have unmerged ones. */
export async function takeChunks(
  db: Db,
  { organization, server, day }: { organization: number; server: number; day: string },
): Promise<{ entity: number; data: Buffer; stored_at: number }[]> {
  const { rows } = await sql<{ entity: number; data: Buffer; stored_at: number }>`
    delete from entity_chunk
    where organization = ${organization} and server = ${server} and day = ${day}::date and entity in (
      select entity from entity_chunk
      where organization = ${organization} and server = ${server} and day = ${day}::date and not is_merged
    )
    returning entity, data, stored_at`.execute(db)
  return rows.sort((one, other) => one.stored_at - other.stored_at)
}
