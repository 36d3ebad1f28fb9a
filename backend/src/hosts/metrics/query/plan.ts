import type { Progress } from '../../../platform/db/index.ts'
import type { Window } from '../aggregate/index.ts'
import { BUCKET_MS_OF, type DayDetail } from '../storage/day.ts'
import { BUCKET_MS, DAY_MS, HALF_HOUR_MS, HOUR_MS } from '../storage/schedule.ts'
import type { HourSpan } from '../storage/keys.ts'
import type { LateMark } from '../storage/late-store.ts'

/** How the parts of a window are read; hours and days since the epoch. Late hours are left out of all and read alone. */
export interface ReadPlan {
  /** The hours of finished days that are read by their means. */
  rolled: HourSpan
  /** The days of `rolled`. */
  days: HourSpan
  detail: DayDetail
  /** Those whose buckets are read. The others are taken by their totals alone. */
  detailed: number[]
  /** The other hours of finished days: read sample by sample. */
  sampled: HourSpan[]
  /** Compacted hours of other days that the window contains entirely. */
  whole: HourSpan
  /** The steps of `whole` are read sample by sample. */
  isFine: boolean
  /** Those that it cuts: read sample by sample. */
  edges: HourSpan[]
  late: readonly Pick<LateMark, 'server' | 'hour'>[]
  /** From here on only pushes have the samples. */
  openFromMs: number
}

/** Here alone is a whole hour or day taken by what it adds up to; steps in ms. */
interface RequestedHours {
  core: Window
  hours: HourSpan
  stepMs: number | undefined
}

/**
 * The last value of an hour within a day is not stored: where the window ends within a finished day, the hours of this day are read
 * sample by sample.
 */
export function planReads({ core, hours, stepMs }: RequestedHours, progress: Progress, marks: ReadPlan['late']): ReadPlan {
  const done = between(hours.from, Math.max(hours.from, Math.min(hours.to, progress.hour + 1)))
  const finishedTo = clamp((progress.day + 1) * 24, done)
  const finished = between(done.from, finishedTo)
  const others = between(finishedTo, done.to)
  const inCore = between(Math.ceil(core.fromMs / HOUR_MS), Math.floor(core.toMs / HOUR_MS))
  const hasBuckets = stepMs === undefined || stepMs >= BUCKET_MS
  const rolledFrom = clamp(inCore.from, finished)
  const rolledTo =
    inCore.to >= finished.to && finished.to % 24 === 0 ? finished.to : Math.floor(Math.min(inCore.to, finished.to) / 24) * 24
  const rolled = hasBuckets && rolledFrom < rolledTo ? between(rolledFrom, rolledTo) : between(finished.from, finished.from)
  const whole = between(clamp(inCore.from, others), clamp(inCore.to, others))
  const late = marks.filter(({ hour }) => hour < done.to)
  const days = between(Math.floor(rolled.from / 24), Math.ceil(rolled.to / 24))
  return {
    rolled,
    days: isEmpty(rolled) ? NOTHING : days,
    detail: stepMs === undefined || stepMs % BUCKET_MS_OF.halfHours === 0 ? 'halfHours' : 'buckets',
    detailed: isEmpty(rolled) ? [] : detailedDays(rolled, days, stepMs, late),
    sampled: byDay([between(finished.from, rolled.from), between(rolled.to, finished.to)]),
    whole: isEmpty(whole) ? NOTHING : whole,
    isFine: stepMs !== undefined && stepMs % HALF_HOUR_MS !== 0,
    edges: (isEmpty(whole) ? [others] : [between(others.from, whole.from), between(whole.to, others.to)]).filter(
      (span) => !isEmpty(span),
    ),
    late,
    openFromMs: done.to * HOUR_MS,
  }
}

const NOTHING: HourSpan = { from: 0, to: 0 }
const between = (from: number, to: number): HourSpan => ({ from, to })
const isEmpty = ({ from, to }: HourSpan): boolean => from >= to
const clamp = (hour: number, { from, to }: HourSpan): number => Math.max(from, Math.min(to, hour))
export const includesHour = ({ from, to }: HourSpan, hour: number): boolean => hour >= from && hour < to

/** All of them for steps within a day; else the first if the window cuts it, and those with late hours. */
function detailedDays(rolled: HourSpan, days: HourSpan, stepMs: number | undefined, late: ReadPlan['late']): number[] {
  const isCut = rolled.from % 24 !== 0
  const withLate = new Set(late.map(({ hour }) => Math.floor(hour / 24)))
  const isWithin = stepMs !== undefined && stepMs % DAY_MS !== 0
  const all = Array.from({ length: days.to - days.from }, (_, index) => days.from + index)
  return all.filter((day) => isWithin || (isCut && day === days.from) || withLate.has(day))
}

/** Parts of one day each. */
function byDay(spans: readonly HourSpan[]): HourSpan[] {
  const parts: HourSpan[] = []
  for (const { from, to } of spans)
    for (let start = from; start < to; start = Math.floor(start / 24) * 24 + 24)
      parts.push(between(start, Math.min(to, Math.floor(start / 24) * 24 + 24)))
  return parts
}
