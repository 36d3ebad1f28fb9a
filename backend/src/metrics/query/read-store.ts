import type { ReadSource, Progress } from '../../platform/db/index.ts'
import { groupNumber, type StoredGroup, type StoredPiece } from '../aggregate/index.ts'
import { FIRST_HALF_HOURS_NUMBER, halfHoursNumber } from '../storage/day.ts'
import { HOUR_MS, MAX_AHEAD_MS } from '../storage/schedule.ts'
import { dateOfDay, dateOfHour, type HourSpan, type ServerSet } from '../storage/keys.ts'
import type { LateMark } from '../storage/late-store.ts'
import { dayOf } from '../../platform/time/day.ts'

/** The headers of hours, with their half hours, or their samples as well. */
export type HourDetail = 'totals' | 'samples'
/** The totals of days, or also their half hours or 5 minutes. */
export type DayDetail = 'totals' | 'halfHours' | 'buckets'

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
  /** Also returns whether this server exists, and the plan of its organization. */
  serverId: string | undefined
}

export interface StoredSamples {
  progress: Progress
  late: Pick<LateMark, 'server' | 'hour'>[]
  hours: { server: number; hour: number; header: Buffer; data: Buffer | null }[]
  /** `data` is of 5 minutes or of half hours. */
  days: { server: number; day: number; header: Buffer; data: Buffer | null; isHalfHours: boolean }[]
  pushes: (StoredPiece & { server: number })[]
  /** Undefined when it was not asked for, or is gone. */
  server: number | undefined
  plan: string | undefined
}

interface Row {
  kind: 'progress' | 'late' | 'hour' | 'day' | 'halfHours' | 'push' | 'server' | 'plan'
  server: number
  at: number
  t_last: number
  received_at: number
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
    `select 'late', server, hour, null, null, null, null, null from metric_late
      where ${owned} and hour >= ${put(hours.from, 'int4')} and hour < ${put(hours.to, 'int4')}`,
    ...wanted.parts.map((part) => selectHours(put, owned, part)),
    ...(days.from < days.to ? [selectDays(put, owned, wanted)] : []),
    ...(open && open.fromMs < open.toMs ? [selectPushes(put, owned, open)] : []),
    ...(serverId === undefined ? [] : selectProof(put, wanted.organization, serverId)),
  ]
  return toStoredSamples(await from.queryNamed<Row>({ sql: parts.join(' union all '), parameters }))
}

/** A parameter of the statement, as it stands in the text. */
type Put = (value: unknown, type: string) => string

const SELECT_PROGRESS = `
  select 'progress' as kind, null::int4 as server, done::int8 as at, null::int8 as t_last, null::int8 as received_at,
    null::bytea as head, null::bytea as data, name from metric_progress`

/** The days of the partitions go with the hours: the other partitions are not opened. */
const selectHours = (put: Put, owned: string, { from, to, detail }: HourPart): string =>
  `select 'hour', server, hour, null, null, header, ${detail === 'totals' ? 'null' : 'data || remainder'}, null from metric_hour
    where ${owned} and hour >= ${put(from, 'int4')} and hour < ${put(to, 'int4')}
      and day >= ${put(dateOfHour(from), 'date')} and day <= ${put(dateOfHour(to - 1), 'date')}`

const selectDays = (put: Put, owned: string, { days, groups }: Wanted): string =>
  `select case when metric_group >= ${FIRST_HALF_HOURS_NUMBER} then 'halfHours' else 'day' end, server, day - date '1970-01-01',
      null, null, header, ${days.detail === 'totals' ? 'null' : 'data'}, null from metric_day
    where ${owned} and day >= ${put(dateOfDay(days.from), 'date')} and day < ${put(dateOfDay(days.to), 'date')}
      and metric_group = any (${put([...new Set(groups.map(days.detail === 'buckets' ? groupNumber : halfHoursNumber))], 'int2[]')})`

const selectPushes = (put: Put, owned: string, { fromMs, toMs }: { fromMs: number; toMs: number }): string =>
  `select 'push', server, t0, t_last, received_at, int8send(digest), data, null from metric_push
    where ${owned} and t0 > ${put(fromMs - HOUR_MS, 'int8')} and t0 < ${put(toMs, 'int8')}
      and t_last >= ${put(fromMs, 'int8')} and received_day >= ${put(dayOf(fromMs - MAX_AHEAD_MS), 'date')}`

const selectProof = (put: Put, organization: number, serverId: string): string[] => [
  `select 'server', number, null, null, null, null, null, null from server
    where organization = ${put(organization, 'int4')} and id = ${put(serverId, 'uuid')}`,
  `select 'plan', null, null, null, null, null, null, plan from organization where number = ${put(organization, 'int4')}`,
]

function toStoredSamples(rows: readonly Row[]): StoredSamples {
  const found: StoredSamples = {
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

function take(found: StoredSamples, { kind, server, at, head, data, ...row }: Row): void {
  if (kind === 'progress') found.progress[row.name as keyof Progress] = at
  else if (kind === 'late') found.late.push({ server, hour: at })
  else if (kind === 'hour') found.hours.push({ server, hour: at, header: head as Buffer, data })
  else if (kind === 'day' || kind === 'halfHours')
    found.days.push({ server, day: at, header: head as Buffer, data, isHalfHours: kind === 'halfHours' })
  else if (kind === 'server') found.server = server
  else if (kind === 'plan') found.plan = row.name
  else {
    const digest = head as Buffer
    found.pushes.push({ server, t0Ms: at, tLastMs: row.t_last, receivedAtMs: row.received_at, digest, block: data as Buffer })
  }
}
