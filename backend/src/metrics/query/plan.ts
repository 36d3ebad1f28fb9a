import type { Progress } from '../../platform/db/index.ts'
import type { Window } from '../aggregate/index.ts'
import { DAY_MS, HALF_HOUR_MS, HOUR_MS } from '../storage/schedule.ts'
import type { DayDetail, HourDetail, HourPart } from './read-store.ts'
import type { HourSpan } from '../storage/keys.ts'
import type { LateMark } from '../storage/late-store.ts'

/** How the parts of a window are read; hours and days since the epoch. */
export interface ReadPlan {
  /** Read by their totals. */
  days: HourSpan
  /** Days whose 5-minute means are read: `days`, and adjacent days of which only some hours are needed. */
  bucketDays: HourSpan
  /** The hours whose steps come from `bucketDays`. */
  bucketHours: HourSpan
  /** Compacted hours outside of `days` that the window contains entirely. */
  whole: HourSpan[]
  /** Hours that the window cuts: read sample by sample. */
  edges: HourSpan[]
  /** The steps of `whole` that are not of `bucketHours` are read sample by sample. */
  isFine: boolean
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

export function planReads({ core, hours, stepMs }: RequestedHours, progress: Progress, marks: ReadPlan['late']): ReadPlan {
  const done = between(hours.from, Math.max(hours.from, Math.min(hours.to, progress.hour + 1)))
  const inCore = between(Math.ceil(core.fromMs / HOUR_MS), Math.min(Math.floor(core.toMs / HOUR_MS), done.to))
  const late = marks.filter(({ hour }) => hour < done.to)
  const isFine = stepMs !== undefined && stepMs % HOUR_MS !== 0
  const hasBuckets = stepMs === undefined || stepMs >= FINEST_DAY_STEP_MS
  const fullDays = between(Math.ceil(inCore.from / 24), Math.floor(inCore.to / 24))
  const untilDay = Math.min(progress.day + 1, firstLateDay(late, fullDays.from))
  const days = orNothing(hasBuckets ? between(fullDays.from, Math.min(fullDays.to, untilDay)) : NOTHING)
  const isFirstLate = late.some(({ hour }) => hour < fullDays.from * 24 && hour >= (fullDays.from - 1) * 24)
  const bucketFrom = isFirstLate ? fullDays.from * 24 : inCore.from
  const bucketHours = orNothing(isFine && hasBuckets ? between(bucketFrom, Math.min(inCore.to, untilDay * 24)) : NOTHING)
  const bucketDays = isFine ? between(Math.floor(bucketHours.from / 24), Math.ceil(bucketHours.to / 24)) : days
  const inDays = between(days.from * 24, days.to * 24)
  const wholeSpans = isEmpty(inDays) ? [inCore] : [between(inCore.from, inDays.from), between(inDays.to, inCore.to)]
  const edges = isEmpty(inCore) ? [done] : [between(done.from, inCore.from), between(inCore.to, done.to)]
  return {
    days,
    bucketDays,
    bucketHours,
    whole: wholeSpans.filter((span) => !isEmpty(span)),
    edges: edges.filter((span) => !isEmpty(span)),
    isFine,
    late,
    openFromMs: done.to * HOUR_MS,
  }
}

/** Steps finer than this need the samples. */
const FINEST_DAY_STEP_MS = 300_000

const NOTHING: HourSpan = { from: 0, to: 0 }
const between = (from: number, to: number): HourSpan => ({ from, to })
const isEmpty = ({ from, to }: HourSpan): boolean => from >= to
export const includesHour = ({ from, to }: HourSpan, hour: number): boolean => hour >= from && hour < to

const orNothing = (span: HourSpan): HourSpan => (isEmpty(span) ? NOTHING : span)

/** Late samples come for the newest days nearly always: what lies before the first of them is taken, for all servers alike. */
const firstLateDay = (late: ReadPlan['late'], fromDay: number): number =>
  Math.floor(Math.min(...late.map(({ hour }) => hour).filter((hour) => hour >= fromDay * 24)) / 24)

/** The detail that is read of days for this step. */
export function dayDetail(stepMs: number | undefined): DayDetail {
  if (stepMs === undefined || stepMs % DAY_MS === 0) return 'totals'
  return stepMs % HALF_HOUR_MS === 0 ? 'halfHours' : 'buckets'
}

/** The hours in the form of the database query. */
export function hourPartsOf({ whole, edges, isFine, bucketHours }: ReadPlan, stepMs: number | undefined): HourPart[] {
  const detail: HourDetail = stepMs !== undefined && stepMs % HALF_HOUR_MS === 0 ? 'totals' : 'samples'
  const inWhole = whole.flatMap(({ from, to }): HourPart[] => {
    if (!isFine) return [{ from, to, detail: 'totals' }]
    const start = Math.min(Math.max(bucketHours.from, from), to)
    const end = Math.min(Math.max(bucketHours.to, start), to)
    return [
      { from, to: start, detail },
      { from: start, to: end, detail: 'totals' },
      { from: end, to, detail },
    ]
  })
  return [...inWhole, ...edges.map((span): HourPart => ({ ...span, detail: 'samples' }))].filter((part) => !isEmpty(part))
}
