import { localText, MAX_REPEAT_LENGTH, offsetMs, truncateText } from '@vedette/shared'
import { RRuleTemporal } from 'rrule-temporal'
import { passStarts } from './passed-starts.ts'

/** When a window takes place. */
export interface Recurrence {
  starts_at: Date
  ends_at: Date
  /** Null: once. */
  repeat: string | null
  time_zone: string
}

/** The allowed parts of RFC 5545 with their bounds: days or longer, so that a search takes a few thousand steps at most. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^([1-9]\d{0,2})$/,
  COUNT: /^([1-9]\d{0,2})$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  BYDAY: /^([+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU))(,[+-]?\d{0,2}(MO|TU|WE|TH|FR|SA|SU)){0,19}$/,
  BYMONTHDAY: /^-?\d{1,2}(,-?\d{1,2}){0,30}$/,
  BYMONTH: /^\d{1,2}(,\d{1,2}){0,11}$/,
  BYSETPOS: /^-?\d{1,3}(,-?\d{1,3}){0,9}$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
}
const MAX_STEPS = 5_000
/** Until the first start of a new rule. */
const MAX_FIRST_STEPS = 1_000

/** Why a rule is invalid; undefined where it is valid. Pure. */
export function repeatFault(window: Recurrence & { repeat: string }): string | undefined {
  const seen = new Set<string>()
  if (window.repeat.length > MAX_REPEAT_LENGTH) return 'is too long'
  for (const part of window.repeat.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=')
    // Names come from outside: `constructor` is a property of every object.
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
    if (!form?.test(value) || rest.length > 0) return `contains a part that is not supported: ${truncateText(part, 40)}`
    if (seen.has(name)) return `contains ${name} twice`
    seen.add(name)
  }
  if (!seen.has('FREQ')) return 'must contain FREQ'
  try {
    if (nearRule(window, window.starts_at.getTime(), MAX_FIRST_STEPS).rule.next(window.starts_at, true)) return undefined
  } catch {
    // The steps are used up, or a part has a value that no calendar has.
  }
  return 'is invalid or never occurs'
}

/**
 * When the current occurrence of a window ends, ms; the last of several; undefined where there is none. Each is as long as the first
 * and starts at the same local time; a time that daylight saving skips has no occurrence.
 */
export function endOfWindow(window: Recurrence, atMs: number): number | undefined {
  const lengthMs = window.ends_at.getTime() - window.starts_at.getTime()
  const isUnderWay = (startMs: number) => startMs <= atMs && atMs < startMs + lengthMs
  const starts = [window.starts_at.getTime()]
  if (window.repeat !== null && window.starts_at.getTime() <= atMs) starts.push(...startsIn(window, atMs - lengthMs, atMs))
  const current = starts.filter(isUnderWay)
  return current.length === 0 ? undefined : Math.max(...current) + lengthMs
}

/** The occurrences that overlap [from, to), ms, ordered by their start and not cut. */
export function occurrencesIn(window: Recurrence, fromMs: number, toMs: number): { fromMs: number; toMs: number }[] {
  const firstMs = window.starts_at.getTime()
  const lengthMs = window.ends_at.getTime() - firstMs
  const starts = new Set([
    firstMs,
    ...(window.repeat === null || toMs <= firstMs ? [] : startsIn(window, fromMs - lengthMs, toMs)),
  ])
  return [...starts]
    .filter((startMs) => startMs < toMs && startMs + lengthMs > fromMs)
    .toSorted((one, other) => one - other)
    .map((startMs) => ({ fromMs: startMs, toMs: startMs + lengthMs }))
}

/**
 * The starts after `fromMs` and before `toMs`, ms, in their order, and the number of those until `fromMs`: `starts[0]` is the one with
 * that number, from 0.
 */
export function countStarts(window: Recurrence, fromMs: number, toMs: number): { before: number; starts: number[] } {
  const firstMs = window.starts_at.getTime()
  if (window.repeat === null || toMs <= firstMs)
    return { before: firstMs <= fromMs ? 1 : 0, starts: firstMs > fromMs && firstMs < toMs ? [firstMs] : [] }
  const { count, rule } = nearRule(window, fromMs)
  const found = listStarts(rule, new Date(0), new Date(toMs))
  // The first start counts also where the rule has none there.
  const isOfRule = listStarts(ruleOf(window), new Date(0), window.starts_at).length > 0
  const starts = [...new Set([...(count === 0 && !isOfRule ? [firstMs] : []), ...found.map((ms) => Math.max(ms, firstMs))])]
  const before = starts.filter((ms) => ms <= fromMs).length + count + (count > 0 && !isOfRule ? 1 : 0)
  return { before, starts: starts.filter((ms) => ms > fromMs && ms < toMs) }
}

/** When the next occurrence starts, ms; undefined where there is none. */
export function nextStart(window: Recurrence, atMs: number): number | undefined {
  const firstMs = window.starts_at.getTime()
  if (atMs < firstMs || window.repeat === null) return atMs < firstMs ? firstMs : undefined
  try {
    return nearRule(window, atMs).rule.next(new Date(atMs), false)?.epochMilliseconds
  } catch {
    // As below: an invalid rule suppresses nothing.
    return undefined
  }
}

function startsIn(window: Recurrence, fromMs: number, toMs: number): number[] {
  const from = Math.max(fromMs, window.starts_at.getTime())
  return listStarts(nearRule(window, from).rule, new Date(from), new Date(toMs))
}

function listStarts(rule: RRuleTemporal, from: Date, to: Date): number[] {
  try {
    return rule.between(from, to, true).map(({ epochMilliseconds }) => epochMilliseconds)
  } catch {
    // A stored rule that is no longer valid suppresses nothing: one notification too many is better than one too few.
    return []
  }
}

/** The rule of a window without the starts long before an instant, which need not be searched, and their number. */
function nearRule(window: Recurrence, atMs: number, maxSteps = MAX_STEPS): { rule: RRuleTemporal; count: number } {
  const { starts_at: start, repeat, time_zone: timeZone } = window
  const startMs = start.getTime()
  const skippedAfter = (fromMs: number) => skippedTimes(timeZone, fromMs)
  const passed = repeat === null ? undefined : passStarts({ timeZone, startMs, repeat, skippedAfter }, atMs)
  if (!passed || repeat === null) return { rule: ruleOf(window, maxSteps), count: 0 }
  const left = repeat.replace(/(?<=^|;)COUNT=(\d+)/, (_, count: string) => `COUNT=${Number(count) - passed.count}`)
  const local = ruleTime(new Date(passed.localMs).toISOString().slice(0, 19))
  return { rule: ruleFrom(local, left, timeZone, maxSteps), count: passed.count }
}

/** The local times that the changes of the clock of a zone skip. */
function* skippedTimes(timeZone: string, atMs: number): Generator<{ fromMs: number; toMs: number }> {
  const { dtstart } = ruleFrom(localOf(new Date(atMs), timeZone), 'FREQ=DAILY', timeZone).options()
  for (let change = dtstart.getTimeZoneTransition('next'); change; change = change.getTimeZoneTransition('next')) {
    const ms = change.epochMilliseconds
    const [before, after] = [offsetMs(timeZone, ms - 1_000), offsetMs(timeZone, ms)]
    if (after > before) yield { fromMs: ms + before, toMs: ms + after }
  }
}

const ruleOf = ({ starts_at: start, repeat, time_zone: zone }: Recurrence, maxSteps = MAX_STEPS): RRuleTemporal =>
  ruleFrom(localOf(start, zone), repeat ?? '', zone, maxSteps)

function ruleFrom(local: string, repeat: string, zone: string, maxIterations = MAX_STEPS): RRuleTemporal {
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone}:${local}\nRRULE:${repeat}`,
    maxIterations,
    cache: false,
  })
}

/** `20260329T023000`, as rules have a local time. */
const ruleTime = (text: string): string => text.replaceAll(/[-:]/g, '')

const localOf = (at: Date, timeZone: string): string => ruleTime(localText(timeZone, at.getTime()))
