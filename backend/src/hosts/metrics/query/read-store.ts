import type { ReadSource, Progress } from '../../../platform/db/index.ts'
import type { StoredGroup, StoredPiece } from '../aggregate/index.ts'
import { type DayDetail, rollupSection } from '../storage/day.ts'
import { CHAPTERS, type ChapterPart, chaptersOf } from '../storage/day-samples.ts'
import { HOUR_MS, MAX_AHEAD_MS } from '../storage/schedule.ts'
import { dateOfDay, dateOfHour, type HourSpan, type ServerSet } from '../storage/keys.ts'
import { FRAME, framedPushes } from '../storage/push-frames.ts'
import type { LateMark } from '../storage/late-store.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** The headers of hours, with their half hours, or their samples as well. */
export type HourDetail = 'totals' | 'samples'

/** Hours of which the same is read. */
export interface HourPart extends HourSpan {
  detail: HourDetail
}

/** What one reading takes out of the database. */
export interface Wanted extends ServerSet {
  /** The hours whose late samples matter. */
  hours: HourSpan
  parts: readonly HourPart[]
  /** Hours of finished days, of one day each, sample by sample. */
  sampled: readonly HourSpan[]
  /** Days since the epoch, and those of them whose buckets are read. */
  days: HourSpan
  detailed: readonly number[]
  detail: DayDetail
  groups: readonly StoredGroup[]
  /** Pushes with samples in here. */
  open: { fromMs: number; toMs: number } | undefined
  /** Also returns whether this server exists, and the plan of its organization. */
  serverId: string | undefined
}

export interface StoredSamples {
  progress: Progress
  late: Pick<LateMark, 'server' | 'hour'>[]
  hours: { server: number; hour: number; header: Buffer; data: Buffer | null }[]
  /** Parts of chapters, and the first of their hours. */
  chapters: (ChapterPart & { server: number; hour: number })[]
  /** One for each group where the buckets are read, of which one has the header. */
  days: { server: number; day: number; header: Buffer | null; data: Buffer | null }[]
  pushes: { server: number; pieces: StoredPiece[] }[]
  /** Undefined when it was not asked for, or is gone. */
  server: number | undefined
  plan: string | undefined
}

interface Row {
  kind: 'progress' | 'late' | 'hour' | 'chapter' | 'day' | 'push' | 'server' | 'plan'
  server: number
  at: number
  t_last: number
  head: Buffer | null
  data: Buffer | null
  name: string
}

/** All of it as one statement: it costs one way to the database and back, and is of one instant. */
export async function readStored(from: ReadSource, wanted: Wanted): Promise<StoredSamples> {
  const parameters: unknown[] = []
  // Built by hand: the query builder took a tenth of the time of a read.
  const put: Put = (value, type) => `$${parameters.push(value)}::${type}`
  const owned = `organization = ${put(wanted.organization, 'int4')} and server = any (${put(wanted.servers, 'int4[]')})`
  const { days, open, hours, serverId } = wanted
  const parts = [
    SELECT_PROGRESS,
    `select 'late', server, hour, null, null, null, null from metric_late
      where ${owned} and hour >= ${put(hours.from, 'int4')} and hour < ${put(hours.to, 'int4')}`,
    ...wanted.parts.map((part) => selectHours(put, owned, part)),
    ...wanted.sampled.map((span) => selectChapters(put, owned, span, wanted.groups)),
    ...(days.from < days.to ? selectDays(put, owned, wanted) : []),
    ...(open && open.fromMs < open.toMs ? [selectPushes(put, owned, open)] : []),
    ...(serverId === undefined ? [] : selectProof(put, wanted.organization, serverId)),
  ]
  return toStoredSamples(await from.queryNamed<Row>({ sql: parts.join(' union all '), parameters }))
}

/** A parameter of the statement, as it stands in the text. */
type Put = (value: unknown, type: string) => string

const SELECT_PROGRESS = `
  select 'progress' as kind, null::int4 as server, done::int8 as at, null::int8 as t_last, null::bytea as head, null::bytea as data, name from metric_progress`

/** The days of the partitions go with the hours: the other partitions are not opened. */
const selectHours = (put: Put, owned: string, { from, to, detail }: HourPart): string =>
  `select 'hour', server, hour, null, header, ${detail === 'totals' ? 'null' : 'data'}, null from metric_hour
    where ${owned} and hour >= ${put(from, 'int4')} and hour < ${put(to, 'int4')}
      and day >= ${put(dateOfHour(from), 'date')} and day <= ${put(dateOfHour(to - 1), 'date')}`

const selectChapters = (put: Put, owned: string, { from, to }: HourSpan, groups: readonly StoredGroup[]): string => {
  const start = put(from % 24, 'int4')
  const until = put((from % 24) + to - from, 'int4')
  return `select 'chapter', server, ${put(from, 'int8')}, chapter::int8, ${CHAPTERS.head}, ${CHAPTERS.hours(start, until)},
      array_to_string(${CHAPTERS.ends(start, until)}, ',')
    from metric_samples cross join unnest(${put(chaptersOf(groups), 'int4[]')}) as chapter
    where ${owned} and day = ${put(dateOfHour(from), 'date')}`
}

function selectDays(put: Put, owned: string, { days, detailed, detail, groups }: Wanted): string[] {
  const from = (section: string) => `from metric_day ${section}
    where ${owned} and day >= ${put(dateOfDay(days.from), 'date')} and day < ${put(dateOfDay(days.to), 'date')}`
  const columns = `select 'day', server, day - date '1970-01-01', null`
  const dates = put(detailed.map(dateOfDay), 'date[]')
  const sections = [...new Set(groups.map((group) => rollupSection(group, detail)))]
  const inDetail = () => `${columns}, case when section = ${put(sections[0], 'int4')} then header end,
    coalesce(substring(data from ends[section + 1] + 1 for ends[section + 2] - ends[section + 1]), ''::bytea), null
    ${from(`cross join unnest(${put(sections, 'int4[]')}) as section`)} and day = any (${dates})`
  const whole = () => `${columns}, header, null, null ${from('')} and day <> all (${dates})`
  return [...(detailed.length > 0 ? [inDetail()] : []), ...(detailed.length < days.to - days.from ? [whole()] : [])]
}

/** Those of a server as one value: rows by themselves cost more to send and to take apart than what is in them. */
const selectPushes = (put: Put, owned: string, { fromMs, toMs }: { fromMs: number; toMs: number }): string =>
  `select 'push', server, null, null, null, string_agg(${FRAME}, ''::bytea), null from metric_push
    where ${owned} and t0 > ${put(fromMs - HOUR_MS, 'int8')} and t0 < ${put(toMs, 'int8')}
      and t_last >= ${put(fromMs, 'int8')} and received_day >= ${put(dayOf(fromMs - MAX_AHEAD_MS), 'date')}
    group by server`

const selectProof = (put: Put, organization: number, serverId: string): string[] => [
  `select 'server', number, null, null, null, null, null from server
    where organization = ${put(organization, 'int4')} and id = ${put(serverId, 'uuid')}`,
  `select 'plan', null, null, null, null, null, plan from organization where number = ${put(organization, 'int4')}`,
]

function toStoredSamples(rows: readonly Row[]): StoredSamples {
  const found: StoredSamples = {
    progress: { hour: -1, day: -1 },
    late: [],
    hours: [],
    chapters: [],
    days: [],
    pushes: [],
    server: undefined,
    plan: undefined,
  }
  for (const row of rows) take(found, row)
  return found
}

function take(found: StoredSamples, { kind, server, at, head, data, ...row }: Row): void {
  if (kind === 'progress') found.progress[row.name as keyof Progress] = at
  else if (kind === 'late') found.late.push({ server, hour: at })
  else if (kind === 'hour') found.hours.push({ server, hour: at, header: head as Buffer, data })
  else if (kind === 'chapter')
    found.chapters.push({
      server,
      hour: at,
      chapter: row.t_last,
      head: head as Buffer,
      data: data as Buffer,
      ends: row.name.split(',').map(Number),
    })
  else if (kind === 'day') found.days.push({ server, day: at, header: head, data })
  else if (kind === 'server') found.server = server
  else if (kind === 'plan') found.plan = row.name
  else found.pushes.push({ server, pieces: framedPushes(data as Buffer) })
}
