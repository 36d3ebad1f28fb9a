import { DAY_MS, MAX_REPEAT_LENGTH, offsetMs, truncateText } from '@vedette/shared'
import { type DayRule, eachStart, parseDayRule } from './day-rule.ts'
import { quickInstantOf } from './zone.ts'

/** When a window takes place. */
export interface Recurrence {
  starts_at: Date
  ends_at: Date
  /** Null: once. */
  repeat: string | null
  time_zone: string
}

/** A rule without a start within this time is taken for one that never occurs: the 29th of February is a Monday every 28 to 40 years. */
const HORIZON_MS = 100 * 366 * DAY_MS

/** Why a rule is invalid; undefined where it is valid. Pure. */
export function repeatFault(window: Recurrence & { repeat: string }): string | undefined {
  if (window.repeat.length > MAX_REPEAT_LENGTH) return 'is too long'
  const rule = parseDayRule(window.repeat)
  if (typeof rule === 'string') return truncateText(rule, 80)
  const { starts_at: start } = window
  const [first] = startsOfRule(window, rule, start.getTime(), start.getTime() + HORIZON_MS)
  return first === undefined ? 'is invalid or never occurs' : undefined
}

/**
 * When the current occurrence of a window ends, ms; the last of several; undefined where there is none. Each is as long as the first
 * and starts at the same local time; a time that daylight saving skips has no occurrence.
 */
export function endOfWindow(window: Recurrence, atMs: number): number | undefined {
  const lengthMs = window.ends_at.getTime() - window.starts_at.getTime()
  const isUnderWay = (startMs: number) => startMs <= atMs && atMs < startMs + lengthMs
  const starts = [window.starts_at.getTime()]
  if (window.starts_at.getTime() <= atMs) starts.push(...startsIn(window, atMs - lengthMs, atMs))
  const current = starts.filter(isUnderWay)
  return current.length === 0 ? undefined : Math.max(...current) + lengthMs
}

/** The occurrences that overlap [from, to), ms, ordered by their start and not cut. */
export function occurrencesIn(window: Recurrence, fromMs: number, toMs: number): { fromMs: number; toMs: number }[] {
  const firstMs = window.starts_at.getTime()
  const lengthMs = window.ends_at.getTime() - firstMs
  const starts = new Set([firstMs, ...startsIn(window, fromMs - lengthMs, toMs)])
  return [...starts]
    .filter((startMs) => startMs < toMs && startMs + lengthMs > fromMs)
    .toSorted((one, other) => one - other)
    .map((startMs) => ({ fromMs: startMs, toMs: startMs + lengthMs }))
}

/**
 * The starts after `fromMs` and before `toMs`, ms, in their order, and the number of those until `fromMs`: `starts[0]` is the one with
 * that number, from 0. The first start counts also where the rule has none there.
 */
export function countStarts(window: Recurrence, fromMs: number, toMs: number): { before: number; starts: number[] } {
  const firstMs = window.starts_at.getTime()
  let before = 0
  const starts: number[] = []
  const add = (ms: number) => {
    if (ms <= fromMs) before += 1
    else if (ms < toMs) starts.push(ms)
  }
  add(firstMs)
  if (toMs > firstMs) for (const ms of startsIn(window, firstMs, toMs)) if (ms > firstMs) add(ms)
  return { before, starts }
}

/** When the next occurrence starts, ms; undefined where there is none. */
export function nextStart(window: Recurrence, atMs: number): number | undefined {
  const firstMs = window.starts_at.getTime()
  if (atMs < firstMs) return firstMs
  for (const ms of startsIn(window, atMs, atMs + HORIZON_MS)) if (ms > atMs) return ms
  return undefined
}

/** The starts of the rule from `fromMs` to `toMs`, both inclusive, in their order. */
function* startsIn(window: Recurrence, fromMs: number, toMs: number): Generator<number> {
  const rule = window.repeat === null ? 'once' : parseDayRule(window.repeat)
  // A stored rule that is no longer valid suppresses nothing: one notification too many is better than one too few.
  if (typeof rule !== 'string') yield* startsOfRule(window, rule, fromMs, toMs)
}

function* startsOfRule(window: Recurrence, rule: DayRule, fromMs: number, toMs: number): Generator<number> {
  const { starts_at: start, time_zone: zone } = window
  const firstMs = start.getTime()
  const localOf = (ms: number) => ms + offsetMs(zone, ms)
  const firstLocalMs = Math.floor(localOf(firstMs) / 1_000) * 1_000
  const firstDay = Math.floor(firstLocalMs / DAY_MS)
  const clockMs = firstLocalMs - firstDay * DAY_MS
  const days = {
    firstDay,
    fromDay: Math.floor(localOf(Math.max(fromMs, firstMs)) / DAY_MS) - 1,
    toDay: Math.floor(localOf(toMs) / DAY_MS) + 1,
    startOn: (day: number) => quickInstantOf(zone, day * DAY_MS + clockMs),
  }
  const isInTime = untilTest(rule.until, zone)
  for (const startMs of eachStart(rule, days)) {
    // Of a local time that the clock shows twice the first one counts, but none before the window.
    const ms = Math.max(startMs, firstMs)
    if (ms > toMs || !isInTime(ms)) return
    if (ms >= fromMs) yield ms
  }
}

/** Whether a start is not after the end of a rule: a day, local time, or with a Z an instant. An end that does not exist is before all. */
function untilTest(until: string | undefined, zone: string): (startMs: number) => boolean {
  if (until === undefined) return () => true
  const [, year, month, day, hour = '23', minute = '59', second = '59'] = UNTIL.exec(until) ?? []
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const endMs = Date.parse(`${iso}Z`)
  if (Number.isNaN(endMs) || !new Date(endMs).toISOString().startsWith(iso)) return () => false
  return until.endsWith('Z') ? (startMs) => startMs <= endMs : (startMs) => startMs + offsetMs(zone, startMs) <= endMs
}
const UNTIL = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/
