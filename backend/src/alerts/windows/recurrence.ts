import { MAX_REPEAT_LENGTH } from '@vedette/shared'
import { RRuleTemporal } from 'rrule-temporal'

/** A window as it recurs. */
export interface Recurring {
  starts_at: Date
  ends_at: Date
  /** Null: once. */
  repeat: string | null
  time_zone: string
}

/** What of RFC 5545 a window may use, and in which bounds: by days or more, so that whoever looks steps over a few thousand days at most. */
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
const MOST_STEPS = 5_000

/** What is wrong with a rule; undefined where nothing is. Pure. */
export function repeatFault(window: Recurring & { repeat: string }): string | undefined {
  const seen = new Set<string>()
  if (window.repeat.length > MAX_REPEAT_LENGTH) return 'is too long'
  for (const part of window.repeat.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=')
    // Names come from outside, and objects have some of their own.
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
    if (!form?.test(value) || rest.length > 0) return `has a part that a window cannot have: ${part.slice(0, 40)}`
    if (seen.has(name)) return `has ${name} twice`
    seen.add(name)
  }
  if (!seen.has('FREQ')) return 'has no FREQ'
  try {
    if (ruleOf(window).next(window.starts_at, true)) return undefined
  } catch {
    // The steps are used up, or a part says what no calendar has.
  }
  return 'says nothing that can be understood, or never happens'
}

/** Whether the name is one of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    // Offsets are no places: they know no change of the clock.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * When the window that is under way at an instant ends, ms; of several the last. Undefined while there is none. Each is as long as
 * the first, and begins at its hour of the day by the clock of its zone; an hour that a change of the clock leaves out has none.
 */
export function endOfWindow(window: Recurring, atMs: number): number | undefined {
  const lengthMs = window.ends_at.getTime() - window.starts_at.getTime()
  const isUnderWay = (startMs: number) => startMs <= atMs && atMs < startMs + lengthMs
  const starts = [window.starts_at.getTime()]
  if (window.repeat !== null && window.starts_at.getTime() <= atMs) starts.push(...startsIn(window, atMs - lengthMs, atMs))
  const under = starts.filter(isUnderWay)
  return under.length === 0 ? undefined : Math.max(...under) + lengthMs
}

/** When the window begins next after an instant, ms; undefined where it never does again. */
export function nextStart(window: Recurring, atMs: number): number | undefined {
  const firstMs = window.starts_at.getTime()
  if (atMs < firstMs || window.repeat === null) return atMs < firstMs ? firstMs : undefined
  try {
    return ruleOf(window).next(new Date(atMs), false)?.epochMilliseconds
  } catch {
    // As below: a rule that is none any more silences nothing.
    return undefined
  }
}

function startsIn(window: Recurring, fromMs: number, toMs: number): number[] {
  try {
    const found = ruleOf(window).between(new Date(Math.max(fromMs, window.starts_at.getTime())), new Date(toMs), true)
    return found.map(({ epochMilliseconds }) => epochMilliseconds)
  } catch {
    // A rule that was good when it was made and is none now silences nothing: an alarm too many is better than one too few.
    return []
  }
}

function ruleOf({ starts_at: start, repeat, time_zone: zone }: Recurring): RRuleTemporal {
  const local = localOf(start, zone)
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone}:${local}\nRRULE:${repeat}`,
    maxIterations: MOST_STEPS,
    cache: false,
  })
}

/** `20260329T023000` by the clock of a zone. */
function localOf(at: Date, timeZone: string): string {
  const digits = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const
  const parts = new Intl.DateTimeFormat('en', { ...digits, timeZone, hourCycle: 'h23' }).formatToParts(at)
  const part = (type: string) => (parts.find((one) => one.type === type)?.value ?? '').padStart(type === 'year' ? 4 : 2, '0')
  return `${part('year')}${part('month')}${part('day')}T${part('hour')}${part('minute')}${part('second')}`
}
