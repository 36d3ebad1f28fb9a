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
  const rule = ruleOf(window)
  if (fromMs < firstMs) return { before: 0, starts: firstMs < toMs ? startsWithFirst(window, rule, toMs) : [] }
  const [first] = rule ? startsOfRule(window, rule, firstMs, firstMs) : []
  const before = (rule ? Math.min(countUntil(window, rule, fromMs), rule.count) : 0) + (first === undefined ? 1 : 0)
  return { before, starts: rule ? [...startsOfRule(window, rule, fromMs + 1, toMs - 1)] : [] }
}

function startsWithFirst(window: Recurrence, rule: DayRule | undefined, toMs: number): number[] {
  const firstMs = window.starts_at.getTime()
  return [firstMs, ...(rule ? startsOfRule(window, rule, firstMs + 1, toMs - 1) : [])]
}

const YEAR_MS = 366 * DAY_MS
const KEPT_COUNTS = 10_000
/** How many starts a rule has in its first years, by the number of years. The same layers are counted again at each look. */
const counts = new Map<string, number[]>()

/**
 * The number of starts of a rule until an instant, inclusive, without regard to COUNT. After the first time only those of the last
 * year are gone through.
 */
function countUntil(window: Recurrence, rule: DayRule, atMs: number): number {
  const firstMs = window.starts_at.getTime()
  const length = (fromMs: number, toMs: number) => {
    let count = 0
    for (const _ of uncountedStarts(window, rule, fromMs, toMs)) count += 1
    return count
  }
  const key = JSON.stringify([firstMs, window.repeat, window.time_zone])
  const sums = counts.get(key) ?? [0]
  if (!counts.has(key) && counts.size >= KEPT_COUNTS) counts.clear()
  counts.set(key, sums)
  const yearsAt = (years: number) => firstMs + years * YEAR_MS
  const years = Math.floor((atMs - firstMs) / YEAR_MS)
  for (let year = sums.length - 1; year < years; year += 1)
    sums.push((sums[year] as number) + length(yearsAt(year), yearsAt(year + 1) - 1))
  return (sums[years] as number) + length(yearsAt(years), atMs)
}

/** When the next occurrence starts, ms; undefined where there is none. */
export function nextStart(window: Recurrence, atMs: number): number | undefined {
  const firstMs = window.starts_at.getTime()
  if (atMs < firstMs) return firstMs
  for (const ms of startsIn(window, atMs, atMs + HORIZON_MS)) if (ms > atMs) return ms
  return undefined
}

/** A stored rule that is no longer valid suppresses nothing: one notification too many is better than one too few. */
function ruleOf({ repeat }: Recurrence): DayRule | undefined {
  const rule = repeat === null ? undefined : parseDayRule(repeat)
  return typeof rule === 'string' ? undefined : rule
}

function startsIn(window: Recurrence, fromMs: number, toMs: number): Iterable<number> {
  const rule = ruleOf(window)
  return rule ? startsOfRule(window, rule, fromMs, toMs) : []
}

/** The starts of a rule from `fromMs` to `toMs`, both inclusive, in their order. */
function* startsOfRule(window: Recurrence, rule: DayRule, fromMs: number, toMs: number): Generator<number> {
  let left = rule.count
  if (left !== Infinity && fromMs > window.starts_at.getTime()) left -= countUntil(window, rule, fromMs - 1)
  for (const ms of left > 0 ? uncountedStarts(window, rule, fromMs, toMs) : []) {
    yield ms
    left -= 1
    if (left === 0) return
  }
}

function* uncountedStarts(window: Recurrence, rule: DayRule, fromMs: number, toMs: number): Generator<number> {
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
