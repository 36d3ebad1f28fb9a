import { DAY_MS } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** Samples of one series within a UTC day. */
export interface ChunkRow {
  series: number
  tFirst: number
  tLast: number
  samples: number
  data: Uint8Array
}

export interface Target {
  organization: number
  target: number
}

export async function insertChunks(
  db: Db,
  { organization, target }: Target,
  rows: readonly ChunkRow[],
  { storedAtMs, isMerged }: { storedAtMs: number; isMerged: boolean },
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into series_chunk (t_first, t_last, stored_at, organization, target, series, day, is_merged, samples, data)
    select t_first, t_last, ${storedAtMs}::int8, ${organization}::int4, ${target}::int4, series, day, ${isMerged}::bool, samples, data
    from unnest(
      ${binaryArray.int4(rows.map(({ series }) => series))}::int4[], ${rows.map(({ tFirst }) => dayOf(tFirst))}::date[],
      ${binaryArray.int8(rows.map(({ tFirst }) => tFirst))}::int8[], ${binaryArray.int8(rows.map(({ tLast }) => tLast))}::int8[],
      ${binaryArray.int4(rows.map(({ samples }) => samples))}::int4[], ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (series, day, t_first, t_last, samples, data)`.execute(db)
}

export interface StoredChunk {
  series: number
  data: Buffer
}

type Window = { fromMs: number; toMs: number }

const overlapping = (organization: number, series: readonly number[], { fromMs, toMs }: Window) => sql`
  organization = ${organization} and series = any(${binaryArray.int4(series)}::int4[])
    and day >= ${dayOf(fromMs)}::date and day <= ${dayOf(toMs)}::date and t_last >= ${fromMs}::int8 and t_first < ${toMs}::int8`

/** How many samples are in the rows that overlap [fromMs, toMs), some more than are in the window, of these series that have any. */
export async function countSamples(
  db: Db,
  organization: number,
  series: readonly number[],
  window: Window,
): Promise<{ series: number; samples: number }[]> {
  const { rows } = await sql<{ series: number; samples: number }>`
    select series, sum(samples)::int8 as samples from series_chunk where ${overlapping(organization, series, window)}
    group by series`.execute(db)
  return rows
}

/** How many samples about an organization has of [from, to): by the share of each UTC day. Those that are not compacted are not among them. */
export async function countSeriesSamples(db: Db, organization: number, { fromMs, toMs }: Window): Promise<number> {
  const { rows } = await sql<{ samples: number }>`
    select coalesce(round(sum(samples * (least((day + 1 - date '1970-01-01') * ${DAY_MS}::float8, ${toMs}::float8)
      - greatest((day - date '1970-01-01') * ${DAY_MS}::float8, ${fromMs}::float8)) / ${DAY_MS}::float8)), 0)::int8 as samples from series_chunk
    where organization = ${organization} and day >= ${dayOf(fromMs)}::date and day <= ${dayOf(toMs)}::date`.execute(db)
  return rows[0]?.samples ?? 0
}

/** Of these series what overlaps [fromMs, toMs), as it was stored. */
export async function readChunks(
  db: Db,
  organization: number,
  series: readonly number[],
  window: Window,
): Promise<StoredChunk[]> {
  const { rows } = await sql<StoredChunk>`
    select series, data from series_chunk where ${overlapping(organization, series, window)}
    order by stored_at, t_first`.execute(db)
  return rows
}

/** Targets and ended days with samples that are not merged. */
export async function listUnmerged(db: Db, beforeDayMs: number): Promise<(Target & { day: string })[]> {
  const { rows } = await sql<Target & { day: string }>`
    select distinct organization, target, day::text as day from series_chunk
    where not is_merged and day < ${dayOf(beforeDayMs)}::date`.execute(db)
  return rows
}

/** An arbitrary number: together with a target it identifies an advisory lock. */
const MERGE_LOCK = 730_531

/**
 * Until the transaction ends no other process merges days of the target. A statement that waits for rows alone does not see what was
 * inserted in their place: of a late sample it would make a second merged row.
 */
export async function lockMerge(db: Db, { target }: Target): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MERGE_LOCK}, ${target})`.execute(db)
}

/** Takes all samples of the day away of so many of the target's series that have unmerged ones, as they were stored. */
export async function takeChunks(
  db: Db,
  { organization, target, day }: Target & { day: string },
  mostSeries: number,
): Promise<StoredChunk[]> {
  const { rows } = await sql<StoredChunk & { stored_at: number; t_first: number }>`
    delete from series_chunk
    where organization = ${organization} and target = ${target} and day = ${day}::date and series in (
      select distinct series from series_chunk
      where organization = ${organization} and target = ${target} and day = ${day}::date and not is_merged
      order by series limit ${mostSeries}
    )
    returning series, data, stored_at, t_first`.execute(db)
  return rows.sort((one, other) => one.stored_at - other.stored_at || one.t_first - other.t_first)
}
