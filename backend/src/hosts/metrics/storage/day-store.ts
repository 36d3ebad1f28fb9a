import { slotOfField } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db } from '../../../platform/db/index.ts'
import type { StoredDay } from './day.ts'
import { CHAPTERS, type ChapterPart } from './day-samples.ts'
import { renewSlots, type StoredSlots } from './dimension-store.ts'
import { given, organizationsOf, pairsOf, serversOf, without } from './given-store.ts'
import { dateOfDay, type ServerHour, type ServerKey, type ServerSet } from './keys.ts'
import { HOUR_MS } from './schedule.ts'

/** Puts the day of these servers in place of what stands there. */
export async function upsertDays(db: Db, day: number, days: readonly (ServerKey & StoredDay)[]): Promise<void> {
  if (days.length === 0) return
  const organizations = organizationsOf(days)
  const servers = serversOf(days)
  const bytea = (pick: (day: StoredDay) => Uint8Array) => sql`${binaryArray.bytea(days.map(pick))}::bytea[]`
  // Arrays of arrays have one length in Postgres: they go as text.
  const ends = (pick: (day: StoredDay) => number[]) => sql`${days.map((each) => `{${pick(each).join()}}`)}::text[]`
  await sql`
    insert into metric_samples (organization, server, day, samples, ends, data)
    select organization, server, ${dateOfDay(day)}::date, samples, ends::int4[], data from unnest(
      ${organizations}::int4[], ${servers}::int4[], ${binaryArray.int4(days.map(({ count }) => count))}::int4[],
      ${ends(({ samples }) => samples.ends)}, ${bytea(({ samples }) => samples.data)}
    ) as given (organization, server, samples, ends, data)
    on conflict (organization, server, day) do update
    set samples = excluded.samples, ends = excluded.ends, data = excluded.data`.execute(db)
  await sql`
    insert into metric_day (organization, server, day, ends, header, data)
    select organization, server, ${dateOfDay(day)}::date, ends::int4[], header, data from unnest(
      ${organizations}::int4[], ${servers}::int4[], ${ends(({ rollups }) => rollups.ends)},
      ${bytea(({ header }) => header)}, ${bytea(({ rollups }) => rollups.data)}
    ) as given (organization, server, ends, header, data)
    on conflict (organization, server, day) do update
    set ends = excluded.ends, header = excluded.header, data = excluded.data`.execute(db)
  await renewSlots(db, day, days.flatMap(slotsOfDay))
}

/** The slots of which a day has samples, each once. */
function slotsOfDay({ organization, server, fieldIds }: ServerKey & StoredDay): StoredSlots[] {
  const slots = fieldIds.flatMap((id) => slotOfField(id) ?? [])
  return [...new Map(slots.map((slot) => [`${slot.kind} ${slot.slot}`, { organization, server, ...slot }])).values()]
}

/** The servers without a stored day. */
export async function withoutDay(db: Db, servers: readonly ServerKey[], day: number): Promise<ServerKey[]> {
  const { rows } = await sql<ServerKey>`
    select given.organization, given.server from ${given(servers)}
    join metric_samples as stored on stored.organization = given.organization and stored.server = given.server
      and day = ${dateOfDay(day)}::date`.execute(db)
  return without(servers, rows)
}

/** Some hours of a chapter of a finished day, and the first of these hours. */
export interface StoredChapter extends ServerKey, ChapterPart {
  hour: number
}

interface ChapterRow extends ServerKey {
  hour: number
  chapter: number
  head: Buffer
  data: Buffer
  ends: number[]
}

/** All samples of these servers of the day. */
export async function readDaySamples(db: Db, servers: readonly ServerKey[], day: number): Promise<StoredChapter[]> {
  const { rows } = await sql<ChapterRow>`
    select stored.organization, stored.server, ${day * 24}::int4 as hour, chapter, ${sql.raw(CHAPTERS.head)} as head,
      ${sql.raw(CHAPTERS.hours('0', '24'))} as data, ${sql.raw(CHAPTERS.ends('0', '24'))} as ends
    from ${given(servers)} join metric_samples as stored on stored.organization = given.organization
      and stored.server = given.server and day = ${dateOfDay(day)}::date
    cross join generate_series(0, ${sql.lit(CHAPTERS.last)}) as chapter`.execute(db)
  return rows
}

/** The samples of these hours of an organization's servers, of finished days. */
export async function readHoursOfDays(db: Db, organization: number, hours: readonly ServerHour[]): Promise<StoredChapter[]> {
  if (hours.length === 0) return []
  const days = hours.map(({ hour }) => Math.floor(hour / 24))
  const { rows } = await sql<ChapterRow>`
    select organization, stored.server, given.hour, chapter, ${sql.raw(CHAPTERS.head)} as head,
      ${sql.raw(CHAPTERS.hours('given.hour % 24', 'given.hour % 24 + 1'))} as data,
      ${sql.raw(CHAPTERS.ends('given.hour % 24', 'given.hour % 24 + 1'))} as ends
    from ${pairsOf(hours)} join metric_samples as stored on organization = ${organization}
      and stored.server = given.server and day = date '1970-01-01' + given.hour / 24
      and day >= ${dateOfDay(Math.min(...days))}::date and day <= ${dateOfDay(Math.max(...days))}::date
    cross join generate_series(0, ${sql.lit(CHAPTERS.last)}) as chapter`.execute(db)
  return rows
}

/** The newest hour with samples of each of these servers, of finished days. */
export async function findNewestHours(db: Db, { organization, servers }: ServerSet): Promise<ServerHour[]> {
  const { rows } = await sql<ServerHour>`
    select given.server, newest.hour from unnest(${servers}::int4[]) as given (server)
    cross join lateral (
      select (day - date '1970-01-01') * 24 + hour as hour from metric_samples cross join generate_series(0, 23) as hour
      where organization = ${organization} and metric_samples.server = given.server and ${sql.raw(CHAPTERS.hasHour('hour'))}
      order by day desc, hour desc limit 1
    ) as newest`.execute(db)
  return rows
}

/** The hours since the epoch that have samples of the server, in order, wherever they stand. */
export async function listSampleHours(db: Db, { organization, server }: ServerKey): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select hour from metric_hour where organization = ${organization} and server = ${server}
    union
    select (day - date '1970-01-01') * 24 + hour from metric_samples cross join generate_series(0, 23) as hour
    where organization = ${organization} and server = ${server} and ${sql.raw(CHAPTERS.hasHour('hour'))}
    union
    select (t0 / ${sql.lit(HOUR_MS)})::int from metric_push where organization = ${organization} and server = ${server}
    order by 1`.execute(db)
  return rows.map(({ hour }) => hour)
}
