import { isWatched, type MonitorStatus } from '@vedette/shared'
import { mergeSpans, secondsOf, type Span, subtract } from './spans.ts'

/** A change of the status. */
export interface StatusChange {
  atMs: number
  from: MonitorStatus
  to: MonitorStatus
  reason: string
}

/** What is known of a monitor's time. */
export interface MonitorHistory {
  createdMs: number
  intervalMs: number
  /** Now. */
  status: MonitorStatus
  /** In order: the last before the range, all of the range, and the first after it. */
  changes: readonly StatusChange[]
  /** When it had checks. */
  covered: readonly Span[]
  /** By windows and by people. */
  maintenance: readonly Span[]
  /** By people alone. */
  excluded: readonly Span[]
}

export interface Downtime extends Span {
  /** In maintenance, excluded or without data. */
  excludedSeconds: number
  /** Null where it began before the range. */
  reason: string | null
  /** It lasts beyond the range. */
  isOpen: boolean
}

/** Each second of the range once: of several reasons the first of paused or idle, no data, maintenance and excluded counts. */
export interface Timeline {
  seconds: Record<'up' | 'degraded' | 'down', number>
  pausedSeconds: number
  noDataSeconds: number
  maintenanceSeconds: number
  excludedSeconds: number
  downtimes: Downtime[]
}

/** A monitor without a check for this many intervals has no data. */
const MISSED_INTERVALS = 3

/** Divides a range by the status of a monitor. Pure. */
export function divideTime(history: MonitorHistory, range: Span): Timeline {
  const steps = stepsOf(history, range)
  const of = (status: MonitorStatus) => steps.filter((step) => step.status === status)
  const paused = mergeSpans(steps.filter((step) => !isWatched(step.status)))
  const noData = subtract(withoutData(history, range), paused)
  const maintenance = subtract(subtract(history.maintenance, paused), noData)
  const taken = subtract(subtract(history.excluded, paused), mergeSpans([...noData, ...maintenance]))
  const excluded = mergeSpans([...noData, ...maintenance, ...taken])
  const counted = (status: MonitorStatus) => secondsOf(subtract(of(status), excluded))
  return {
    seconds: { up: counted('up'), degraded: counted('degraded'), down: counted('down') },
    pausedSeconds: secondsOf(paused),
    noDataSeconds: secondsOf(noData),
    maintenanceSeconds: secondsOf(maintenance),
    excludedSeconds: secondsOf(taken),
    downtimes: of('down').map(({ fromMs, toMs, reason }) => ({
      fromMs,
      toMs,
      reason,
      isOpen: toMs === range.toMs,
      excludedSeconds: (toMs - fromMs) / 1000 - secondsOf(subtract([{ fromMs, toMs }], excluded)),
    })),
  }
}

type Step = Span & { status: MonitorStatus; reason: string | null }

/** The statuses of the range, in order, without gaps. */
function stepsOf({ changes, status }: MonitorHistory, { fromMs, toMs }: Span): Step[] {
  const before = changes.findLast(({ atMs }) => atMs <= fromMs)
  const inside = changes.filter(({ atMs }) => atMs > fromMs && atMs < toMs)
  const first = before?.to ?? changes.find(({ atMs }) => atMs > fromMs)?.from ?? status
  const reason = before?.atMs === fromMs ? before.reason : null
  const starts = [{ atMs: fromMs, to: first, reason }, ...inside]
  return starts
    .map(({ atMs, to, reason }, index) => ({ fromMs: atMs, toMs: starts[index + 1]?.atMs ?? toMs, status: to, reason }))
    .filter((step) => step.fromMs < step.toMs)
}

function withoutData({ createdMs, covered, intervalMs }: MonitorHistory, range: Span): Span[] {
  const existsMs = Math.min(Math.max(createdMs, range.fromMs), range.toMs)
  const gaps = subtract([{ fromMs: existsMs, toMs: range.toMs }], covered)
  const missed = gaps.filter(({ fromMs, toMs }) => toMs - fromMs > MISSED_INTERVALS * intervalMs)
  return mergeSpans([{ fromMs: range.fromMs, toMs: existsMs }, ...missed].filter(({ fromMs, toMs }) => fromMs < toMs))
}
