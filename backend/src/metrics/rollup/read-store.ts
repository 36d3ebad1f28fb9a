import type { ReadSource } from '../../platform/db/index.ts'
import { groupNumber, type StoredGroup, type StoredPiece } from '../aggregate.ts'
import { FIRST_HALVES_NUMBER, FIRST_KIND, halvesNumber } from './day.ts'
import { HOUR_MS, MAX_AHEAD_MS } from './hour.ts'
import { WITH_HALVES, WITH_OLDER_HALVES, WITH_TAIL } from './tail.ts'
import { dateOfDay, dateOfHour, type HourSpan, type LateMark, type Progress, type ServerSet, toDate } from './store.ts'

/** What hours add up to, their half hours as well (where an older version put an hour together: its samples), or all of it. */
export type HourDetail = 'totals' | 'halves' | 'samples'
/** The same of days, which have means over 5 minutes and no samples. */
export type DayDetail = 'totals' | 'halves' | 'buckets'

/** Hours of which the same is read. */
export interface HourPart extends HourSpan {
  detail: HourDetail
}

/** What one reading takes out of the database. */
export interface Wanted extends ServerSet {
  /** The hours whose late samples matter. */
  hours: HourSpan
  parts: readonly HourPart[]
  /** Days since the epoch. */
  days: HourSpan & { detail: DayDetail }
  groups: readonly StoredGroup[]
  /** Pushes with samples in here. */
  open: { fromMs: number; toMs: number } | undefined
  /** Tells of this server as well whether it is there, and what plan its organization has. */
  serverId: string | undefined
}

export interface Found {
  progress: Progress
  late: Pick<LateMark, 'server' | 'hour'>[]
  hours: { server: number; hour: number; header: Buffer; data: Buffer | null }[]
  /** Means over 5 minutes are `data`, unless it is of half hours. */
  days: { server: number; day: number; header: Buffer; data: Buffer | null; isHalves: boolean }[]
  pushes: (StoredPiece & { server: number })[]
  /** Undefined when it was not asked for, or is gone. */
  server: number | undefined
  plan: string | undefined
}

interface Row {
  kind: 'progress' | 'late' | 'hour' | 'day' | 'halves' | 'push' | 'server' | 'plan'
  server: number
  at: number
  t_last: number
  received_at: number
  head: Buffer | null
  data: Buffer | null
  name: string
}

/** All of it as one statement: it costs one way to the database and back, and is of one instant. */
export async function readStored(from: ReadSource, wanted: Wanted): Promise<Found> {
  const parameters: unknown[] = []
  // Put together by hand: the query builder took a tenth of a read for it.
  const put: Put = (value, type) => `$${parameters.push(value)}::${type}`
  const owned = `organization = ${put(wanted.organization, 'int4')} and server = any (${put(wanted.servers, 'int4[]')})`
  const { days, open, hours, serverId } = wanted
  const parts = [
    SELECT_PROGRESS,
    `select 'late', server, hour, null, null, null, null, null from metric_late
      where ${owned} and hour >= ${put(hours.from, 'int4')} and hour < ${put(hours.to, 'int4')}`,
    ...wanted.parts.map((part) => selectHours(put, owned, part)),
    ...(days.from < days.to ? [selectDays(put, owned, wanted)] : []),
    ...(open && open.fromMs < open.toMs ? [selectPushes(put, owned, open)] : []),
    ...(serverId === undefined ? [] : selectProof(put, wanted.organization, serverId)),
  ]
  return toFound(await from.ask<Row>({ sql: parts.join(' union all '), parameters }))
}

/** A parameter of the statement, as it stands in the text. */
type Put = (value: unknown, type: string) => string

const SELECT_PROGRESS = `
  select 'progress' as kind, null::int4 as server, done::int8 as at, null::int8 as t_last, null::int8 as received_at,
    null::bytea as head, null::bytea as data, name from metric_progress`

/** A header without the rest of the data that `moveTail` puts into it, which is more than the header. */
const LENGTH = 'get_byte(header, 1) + 256 * get_byte(header, 2)'
const HAS_HALVES = `get_byte(header, 0) in (${WITH_HALVES}, ${WITH_OLDER_HALVES})`
const BARE_HEADER = `case when ${HAS_HALVES} then '\\x01'::bytea || substr(header, 6, ${LENGTH})
    when get_byte(header, 0) = ${WITH_TAIL} then '\\x01'::bytea || substr(header, 4 + ${LENGTH}) else header end`
const HALVES = `case when ${HAS_HALVES}
    then substr(header, 1, 5 + ${LENGTH} + get_byte(header, 3) + 256 * get_byte(header, 4)) else header end,
  case when ${HAS_HALVES} then null else data end`
const COLUMNS = { totals: `${BARE_HEADER}, null`, halves: HALVES, samples: 'header, data', buckets: 'header, data' }

/** The days of the partitions go with the hours: the other partitions are not opened. */
const selectHours = (put: Put, owned: string, { from, to, detail }: HourPart): string =>
  `select 'hour', server, hour, null, null, ${COLUMNS[detail]}, null from metric_hour
    where ${owned} and hour >= ${put(from, 'int4')} and hour < ${put(to, 'int4')}
      and day >= ${put(dateOfHour(from), 'date')} and day <= ${put(dateOfHour(to - 1), 'date')}`

const selectDays = (put: Put, owned: string, { days, groups }: Wanted): string =>
  `select case when metric_group >= ${FIRST_HALVES_NUMBER} then 'halves' else 'day' end, server, day - date '1970-01-01',
      null, null, ${days.detail === 'totals' ? `${BARE_HEADER}, null` : 'header, data'}, null from metric_day
    where ${owned} and day >= ${put(dateOfDay(days.from), 'date')} and day < ${put(dateOfDay(days.to), 'date')}
      and ${days.detail === 'buckets' ? inGroups(put, groups) : inHalves(put, groups)}`

const inGroups = (put: Put, groups: readonly StoredGroup[]): string =>
  `metric_group = any (${put(groups.map(groupNumber), 'int2[]')})`

/** Rows of half hours where there are some: an older version has put days together without. */
const inHalves = (put: Put, groups: readonly StoredGroup[]): string =>
  `(metric_group = any (${put([...new Set(groups.map(halvesNumber))], 'int2[]')}) or ${inGroups(put, groups)} and not exists (
      select from metric_day as other where other.organization = metric_day.organization and other.server = metric_day.server
        and other.day = metric_day.day
        and other.metric_group = greatest(${FIRST_HALVES_NUMBER}, metric_day.metric_group + ${FIRST_HALVES_NUMBER + 1 - FIRST_KIND})))`

const selectPushes = (put: Put, owned: string, { fromMs, toMs }: { fromMs: number; toMs: number }): string =>
  `select 'push', server, t0, t_last, received_at, int8send(digest), data, null from metric_push
    where ${owned} and t0 > ${put(fromMs - HOUR_MS, 'int8')} and t0 < ${put(toMs, 'int8')}
      and t_last >= ${put(fromMs, 'int8')} and received_day >= ${put(toDate(fromMs - MAX_AHEAD_MS), 'date')}`

const selectProof = (put: Put, organization: number, serverId: string): string[] => [
  `select 'server', number, null, null, null, null, null, null from server
    where organization = ${put(organization, 'int4')} and id = ${put(serverId, 'uuid')}`,
  `select 'plan', null, null, null, null, null, null, plan from organization where number = ${put(organization, 'int4')}`,
]

function toFound(rows: readonly Row[]): Found {
  const found: Found = {
    progress: { hour: -1, day: -1 },
    late: [],
    hours: [],
    days: [],
    pushes: [],
    server: undefined,
    plan: undefined,
  }
  for (const row of rows) take(found, row)
  return found
}

function take(found: Found, { kind, server, at, head, data, ...row }: Row): void {
  if (kind === 'progress') found.progress[row.name as keyof Progress] = at
  else if (kind === 'late') found.late.push({ server, hour: at })
  else if (kind === 'hour') found.hours.push({ server, hour: at, header: head as Buffer, data })
  else if (kind === 'day' || kind === 'halves')
    found.days.push({ server, day: at, header: head as Buffer, data, isHalves: kind === 'halves' })
  else if (kind === 'server') found.server = server
  else if (kind === 'plan') found.plan = row.name
  else {
    const digest = head as Buffer
    found.pushes.push({ server, t0Ms: at, tLastMs: row.t_last, receivedAtMs: row.received_at, digest, block: data as Buffer })
  }
}
