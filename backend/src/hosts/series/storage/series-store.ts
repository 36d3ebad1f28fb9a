import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db } from '../../../platform/db/index.ts'

export type Labels = Readonly<Record<string, string>>

export interface NewSeries {
  hash: Buffer
  target: number
  name: string
  labels: Labels
  firstMs: number
}

export interface NumberedSeries {
  number: number
  hash: Buffer
  first_seen: number
  last_seen: number
}

/** Those that are known, by the hash of their labels. */
export async function findByHash(db: Db, organization: number, hashes: readonly Buffer[]): Promise<NumberedSeries[]> {
  const { rows } = await sql<NumberedSeries>`
    select number, hash, first_seen, last_seen from received_series
    where organization = ${organization} and hash = any(${binaryArray.bytea(hashes)}::bytea[])`.execute(db)
  return rows
}

/** Stores those that another instance has not stored meanwhile. */
export async function insertSeries(db: Db, organization: number, rows: readonly NewSeries[], nowMs: number): Promise<void> {
  await sql`
    insert into received_series (organization, target, hash, name, labels, first_seen, last_seen)
    select ${organization}::int4, target, hash, name, labels::jsonb, first_seen, ${nowMs}::int8
    from unnest(
      ${binaryArray.int4(rows.map(({ target }) => target))}::int4[], ${binaryArray.bytea(rows.map(({ hash }) => hash))}::bytea[],
      ${rows.map(({ name }) => name)}::text[], ${rows.map(({ labels }) => JSON.stringify(labels))}::text[],
      ${binaryArray.int8(rows.map(({ firstMs }) => firstMs))}::int8[]
    ) as given (target, hash, name, labels, first_seen)
    order by hash
    on conflict (organization, hash) do nothing`.execute(db)
}

/** How many series of the organization had samples since the instant; counts no further than `upTo`. */
export async function countActive(db: Db, organization: number, sinceMs: number, upTo: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from (
      select from received_series where organization = ${organization} and last_seen >= ${sinceMs}::int8 limit ${upTo}
    ) as active`.execute(db)
  return rows[0]?.count ?? 0
}

/** Stores that these have samples now. Returns those that are there: one that had none for long may be deleted. */
export async function touchSeries(
  db: Db,
  organization: number,
  numbers: readonly number[],
  nowMs: number,
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ number: number }>`
    update received_series set last_seen = ${nowMs}::int8
    where organization = ${organization} and number = any(${binaryArray.int4(numbers)}::int4[])
    returning number`.execute(db)
  return new Set(rows.map(({ number }) => number))
}

/** Stores that these have samples from an earlier instant on. */
export async function lowerFirstSeen(
  db: Db,
  organization: number,
  numbers: readonly number[],
  firstMs: readonly number[],
): Promise<void> {
  await sql`
    update received_series set first_seen = given.first_seen
    from unnest(${binaryArray.int4(numbers)}::int4[], ${binaryArray.int8(firstMs)}::int8[]) as given (number, first_seen)
    where organization = ${organization} and received_series.number = given.number
      and received_series.first_seen > given.first_seen`.execute(db)
}

export interface FoundSeries {
  number: number
  target: number
  labels: Record<string, string>
}

/** How labels are narrowed down before they are read. */
export interface SeriesFilter {
  /** Undefined: any. */
  name: string | undefined
  /** Labels with these values. */
  equal: Labels
  fromMs: number
  toMs: number
  limit: number
}

/** The series that may have samples in the window. */
export async function findSeries(db: Db, organization: number, filter: SeriesFilter): Promise<FoundSeries[]> {
  const { rows } = await sql<FoundSeries>`
    select number, target, labels from received_series where ${alive(organization, filter)} limit ${filter.limit}`.execute(db)
  return rows
}

/** The same without their labels, which cost most of it. */
export async function findSeriesNumbers(
  db: Db,
  organization: number,
  filter: SeriesFilter,
): Promise<Pick<FoundSeries, 'number' | 'target'>[]> {
  const { rows } = await sql<Pick<FoundSeries, 'number' | 'target'>>`
    select number, target from received_series where ${alive(organization, filter)} limit ${filter.limit}`.execute(db)
  return rows
}

/** How many they are; counts no further than the limit. */
export async function countSeries(db: Db, organization: number, filter: SeriesFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from (
      select from received_series where ${alive(organization, filter)} limit ${filter.limit}
    ) as found`.execute(db)
  return rows[0]?.count ?? 0
}

const PAGE = 20_000

/** All of them in the order of their numbers, so many at once: thousands of labels are some MB. The limit is of no account. */
export async function* pageSeries(db: Db, organization: number, filter: SeriesFilter): AsyncGenerator<FoundSeries[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<FoundSeries>`
      select number, target, labels from received_series where ${alive(organization, filter)} and number > ${after}::int4
      order by number limit ${PAGE}`.execute(db)
    yield rows
    const last = rows[PAGE - 1]
    if (!last) return
    after = last.number
  }
}

function alive(organization: number, { name, equal, fromMs, toMs }: SeriesFilter) {
  const sinceMs = fromMs - LAST_SEEN_LAGS_MS
  return sql`organization = ${organization} ${name === undefined ? sql`` : sql`and name = ${name}`}
    ${Object.keys(equal).length === 0 ? sql`` : sql`and labels @> ${JSON.stringify(equal)}::jsonb`}
    and last_day >= ${Math.floor(sinceMs / DAY_MS)}::int4 and last_seen >= ${sinceMs}::int8 and first_seen < ${toMs}::int8`
}
/** It is written once an hour; the samples of a request may be dated ahead. */
const LAST_SEEN_LAGS_MS = 2 * HOUR_MS

/** The labels of these series, their name among them, by number. */
export async function findLabels(
  db: Db,
  organization: number,
  numbers: readonly number[],
): Promise<Map<number, Record<string, string>>> {
  const { rows } = await sql<{ number: number; labels: Record<string, string> }>`
    select number, labels from received_series
    where organization = ${organization} and number = any(${binaryArray.int4(numbers)}::int4[])`.execute(db)
  return new Map(rows.map(({ number, labels }) => [number, labels]))
}

export interface Family {
  name: string
  type: string
  unit: string
  help: string
}

/** Stores what is known of names; the newest stands. */
export async function upsertFamilies(db: Db, organization: number, rows: readonly Family[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into series_family (organization, name, type, unit, help)
    select ${organization}::int4, name, type, unit, help from unnest(
      ${rows.map(({ name }) => name)}::text[], ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ unit }) => unit)}::text[], ${rows.map(({ help }) => help)}::text[]
    ) as given (name, type, unit, help)
    order by name
    on conflict (organization, name) do update set type = excluded.type, unit = excluded.unit, help = excluded.help
    where (series_family.type, series_family.unit, series_family.help) is distinct from (excluded.type, excluded.unit, excluded.help)`.execute(
    db,
  )
}

export async function countFamilies(db: Db, organization: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from series_family where organization = ${organization}`.execute(db)
  return rows[0]?.count ?? 0
}

export function listFamilies(db: Db, organization: number): Promise<Family[]> {
  return db
    .selectFrom('series_family')
    .select(['name', 'type', 'unit', 'help'])
    .where('organization', '=', organization)
    .orderBy('name')
    .execute()
}

/** What is known of these names. */
export async function findFamilies(db: Db, organization: number, names: readonly string[]): Promise<Family[]> {
  const { rows } = await sql<Family>`
    select name, type, unit, help from series_family where organization = ${organization} and name = any(${names}::text[])`.execute(
    db,
  )
  return rows
}

/** Removes those whose last sample is older than the instant. */
export async function deleteSeriesBefore(db: Db, ms: number): Promise<void> {
  await db.deleteFrom('received_series').where('last_seen', '<', ms).execute()
}

/** Removes everything of an organization that is deleted. */
export async function deleteOrganizationSeries(db: Db, organization: number): Promise<void> {
  for (const table of ['series_push', 'series_chunk', 'series_family', 'received_series'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).execute()
}
