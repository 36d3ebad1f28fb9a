import { DAY_MS, MAX_LAYER_USERS, MINUTE_MS, WEEKDAYS } from '@vedette/shared'
import { parseDayRule } from '../../../platform/time/day-rule.ts'
import { occurrencesIn } from '../../../platform/time/recurrence.ts'
import type { Rotation, TurnLength } from '../layers.ts'
import { DAY_MINUTES, WEEK_MINUTES, weekMinuteOf, type WeekSpan } from '../restrictions.ts'

/** Shifts that recur by a rule of RFC 5545; who has them, one after the other. */
export interface RecurringShifts {
  name: string
  /** The first one by the rule. */
  startMs: number
  endMs: number
  zone: string
  /** With or without `RRULE:`. */
  rule: string
  /** No shift begins before it. */
  sinceMs: number
  untilMs: number | undefined
  /** Who has each shift, in turn. */
  slots: readonly (readonly string[])[]
}

type Timed = Pick<Rotation, 'turns' | 'length' | 'spans' | 'repeat'>

const UNITS = { DAILY: 'day', WEEKLY: 'week' } as const
const UNIT_MINUTES = { hour: 60, day: DAY_MINUTES, week: WEEK_MINUTES } as const
const BY_HOURS = /^FREQ=HOURLY(?:;INTERVAL=([1-9]\d{0,2}))?$/
/** As far as a rule that ends is followed. */
const AHEAD_MS = 20 * 366 * DAY_MS
const SOON_MS = 14 * DAY_MS

/** What a rule says; days are counted from Monday. */
interface Rule {
  unit: TurnLength['unit']
  interval: number
  days: number[]
  weekStart: number
  hasEnd: boolean
}

/** A rotation of ours, or why there is none. Turns are counted from the first shift at or after `sinceMs`. Pure. */
export function rotationOf({ name, startMs, endMs, zone, sinceMs, untilMs, slots, ...rest }: RecurringShifts): Rotation | string {
  const text = rest.rule.replace(/^RRULE:/i, '').toUpperCase()
  const rule = ruleOf(text)
  if (typeof rule === 'string') return `${name}: its rule ${rule}`
  const minutes = (endMs - startMs) / MINUTE_MS
  if (!Number.isInteger(minutes) || minutes <= 0) return `${name}: its shifts are no whole minutes long`
  const starts = startsOf(text, rule, { startMs, sinceMs, zone })
  const first = starts.find((ms) => ms >= sinceMs)
  if (first === undefined) return `${name}: its rule has no shift`
  const timed = timedOf(rule, minutes, slots, weekMinuteOf(first, zone))
  if (typeof timed === 'string') return `${name}: ${timed}`
  const ends = [
    ...(rule.hasEnd ? [(starts.at(-1) as number) + endMs - startMs] : []),
    ...(untilMs === undefined ? [] : [untilMs]),
  ]
  return { name, startMs: first, endMs: ends.length === 0 ? undefined : Math.min(...ends), ...timed }
}

function ruleOf(text: string): Rule | string {
  const [hourly, hours = 1] = BY_HOURS.exec(text) ?? []
  if (hourly !== undefined) return { unit: 'hour', interval: Number(hours), days: [], weekStart: 0, hasEnd: false }
  const rule = parseDayRule(text)
  if (typeof rule === 'string') return rule
  const { frequency, interval, weekdays = [], monthDays, months, positions, count, until, weekStart } = rule
  if (frequency !== 'DAILY' && frequency !== 'WEEKLY') return `is ${frequency}, and not by hours, days or weeks`
  if (monthDays || months || positions || weekdays.some(({ nth }) => nth !== 0)) return 'has days of months or years'
  const fromMonday = (weekday: number) => (weekday + 6) % 7
  return {
    unit: UNITS[frequency],
    interval,
    days: [...new Set(weekdays.map(({ weekday }) => fromMonday(weekday)))].toSorted((one, other) => one - other),
    weekStart: fromMonday(weekStart),
    hasEnd: count !== Infinity || until !== undefined,
  }
}

/** All starts of a rule that ends, else the first ones from `sinceMs` on. */
function startsOf(
  text: string,
  { unit, interval, days, hasEnd }: Rule,
  { startMs, sinceMs, zone }: Pick<RecurringShifts, 'startMs' | 'sinceMs' | 'zone'>,
): number[] {
  const stepMs = UNIT_MINUTES[unit] * interval * MINUTE_MS
  if (unit === 'hour') return [startMs + Math.max(0, Math.ceil((sinceMs - startMs) / stepMs)) * stepMs]
  const window = { starts_at: new Date(startMs), ends_at: new Date(startMs + 1), repeat: text, time_zone: zone }
  const fromMs = hasEnd ? startMs : Math.max(startMs, sinceMs)
  const found = occurrencesIn(window, fromMs, hasEnd ? startMs + AHEAD_MS : fromMs + 2 * stepMs + SOON_MS)
  // The start of a window counts even where its rule has none there; here it does not.
  return found
    .map((one) => one.fromMs)
    .filter((ms) => days.length === 0 || days.includes(Math.floor(weekMinuteOf(ms, zone) / DAY_MINUTES)))
}

const NOBODY: readonly string[] = []
const tooMany = (turns: number) => `it becomes ${turns} turns; a layer has at most ${MAX_LAYER_USERS}`

/** `from`: minute of the week of the first shift. */
function timedOf(rule: Rule, minutes: number, slots: RecurringShifts['slots'], from: number): Timed | string {
  const { interval, days } = rule
  if (days.length > 0 && rule.unit === 'day' && interval > 1) return 'its rule has days of the week by an interval of days'
  if (days.length > 1) return byDays(rule, minutes, slots, from)
  // A rule of one day of the week is one by weeks.
  const unit = days.length === 1 ? 'week' : rule.unit
  const [cell, period] = [UNIT_MINUTES[unit], UNIT_MINUTES[unit] * interval]
  if (minutes > period) return 'its shifts are longer than their interval, and overlap'
  if (minutes === period) return { turns: slots, length: { unit, count: interval }, spans: [] }
  if (minutes % cell !== 0 && (minutes > cell || unit === 'hour')) return `its shifts of ${minutes} minutes are no whole ${unit}s`
  if (slots.length * interval > MAX_LAYER_USERS) return tooMany(slots.length * interval)
  // What is left of the interval is turns of nobody.
  const busy = Math.ceil(minutes / cell)
  const turns = slots.flatMap((slot) => Array.from({ length: interval }, (_, index) => (index < busy ? slot : NOBODY)))
  const starts = unit === 'day' ? WEEKDAYS.map((_, day) => day * DAY_MINUTES + (from % DAY_MINUTES)) : [from]
  const spans = minutes % cell === 0 ? [] : starts.map((start): WeekSpan => ({ from: start, minutes }))
  return { turns, length: { unit, count: 1 }, spans }
}

/** Several days of the week: a turn begins on each of them. */
function byDays(
  { interval, days, weekStart }: Rule,
  minutes: number,
  slots: RecurringShifts['slots'],
  from: number,
): Timed | string {
  const gaps = days.map((day, index) => ((days[index + 1] ?? (days[0] as number) + 7) - day) * DAY_MINUTES)
  if (gaps.some((gap) => minutes > gap)) return 'its shifts are longer than the time between them, and overlap'
  const spans = days.map((day): WeekSpan => ({ from: day * DAY_MINUTES + (from % DAY_MINUTES), minutes }))
  const repeat = `FREQ=WEEKLY;BYDAY=${days.map((day) => WEEKDAYS[day]).join(',')}`
  const own = { length: { unit: 'day', count: 1 } as const, spans, repeat }
  if (interval === 1) return { ...own, turns: slots }
  const inWeek = (day: number) => (day - weekStart + 7) % 7
  const today = Math.floor(from / DAY_MINUTES)
  if (days.some((day) => inWeek(day) < inWeek(today))) return 'it begins in the middle of one of its weeks'
  // Weeks in between are turns of nobody; the order of the people goes on over them.
  const count = leastCommonMultiple(slots.length, days.length)
  if (count * interval > MAX_LAYER_USERS) return tooMany(count * interval)
  const turns = Array.from({ length: count * interval }, (_, index) => {
    const [week, day] = [Math.floor(index / days.length), index % days.length]
    return week % interval === 0 ? (slots[((week / interval) * days.length + day) % slots.length] as readonly string[]) : NOBODY
  })
  return { ...own, turns }
}

function leastCommonMultiple(one: number, other: number): number {
  let found = one
  while (found % other !== 0) found += one
  return found
}
