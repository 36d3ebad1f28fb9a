import { DAY_MS } from '@vedette/shared'

/** A rule of RFC 5545 that repeats by days or longer. Days are counted from 1970-01-01, local time. */
export interface DayRule {
  frequency: Frequency
  interval: number
  /** How many starts it has at most. */
  count: number
  /** As it is written: a day, or an instant. */
  until: string | undefined
  /** 0: Sunday. */
  weekStart: number
  /** `nth` of the month or year, negative from its end; 0: each. */
  weekdays: { weekday: number; nth: number }[] | undefined
  monthDays: number[] | undefined
  months: number[] | undefined
  /** Which days of each period count, negative from its end. */
  positions: number[] | undefined
}
type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
/** The parts that are taken, and what they may hold. */
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

/** The rule that a text holds, or why it holds none. Pure. */
export function parseDayRule(text: string): DayRule | string {
  const parts = new Map<string, string>()
  for (const part of text.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=')
    // Names come from outside: `constructor` is a property of every object.
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
    if (!form?.test(value) || rest.length > 0) return `contains a part that is not supported: ${part}`
    if (parts.has(name)) return `contains ${name} twice`
    parts.set(name, value)
  }
  const frequency = parts.get('FREQ') as Frequency | undefined
  if (!frequency) return 'must contain FREQ'
  const numbers = (name: string) => parts.get(name)?.split(',').map(Number)
  const rule: DayRule = {
    frequency,
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: Number(parts.get('COUNT') ?? Infinity),
    until: parts.get('UNTIL'),
    weekStart: WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'),
    weekdays: parts
      .get('BYDAY')
      ?.split(',')
      .map((day) => ({ weekday: WEEKDAYS.indexOf(day.slice(-2)), nth: Number(day.slice(0, -2)) })),
    monthDays: numbers('BYMONTHDAY'),
    months: numbers('BYMONTH'),
    positions: numbers('BYSETPOS'),
  }
  return faultOf(rule) ?? rule
}

function faultOf({ frequency, weekdays, monthDays, months, positions }: DayRule): string | undefined {
  const isWithin = (least: number, most: number) => (value: number) => least <= Math.abs(value) && Math.abs(value) <= most
  if (!(months ?? []).every(isWithin(1, 12))) return 'has a month that is not 1 to 12 in BYMONTH'
  if (!(monthDays ?? []).every(isWithin(1, 31))) return 'has a day that is not 1 to 31 or -31 to -1 in BYMONTHDAY'
  if (!(positions ?? []).every(isWithin(1, 366))) return 'has a position that is not 1 to 366 or -366 to -1 in BYSETPOS'
  if (!(weekdays ?? []).every(({ nth }) => isWithin(0, 53)(nth))) return 'has a number that is not 1 to 53 or -53 to -1 in BYDAY'
  const isByWeeks = frequency === 'WEEKLY' || frequency === 'DAILY'
  if (isByWeeks && weekdays?.some(({ nth }) => nth !== 0)) return `has a number in BYDAY, which ${frequency} does not take`
  if (frequency === 'WEEKLY' && monthDays) return 'has BYMONTHDAY, which WEEKLY does not take'
  return undefined
}

export interface DayRange {
  /** The rule begins on this day, which is one of its days only if it fits the rule. */
  firstDay: number
  /** Of the days that are wanted, both inclusive. */
  fromDay: number
  toDay: number
  /** When the start of this day is, ms. Undefined where its local time does not exist: it is no start then, and does not count. */
  startOn(day: number): number | undefined
}

/**
 * The starts of a rule in a range, ms, in their order, without regard to COUNT. The search begins at the range, and each step is some
 * arithmetic on one day. Pure.
 */
export function* eachStart(rule: DayRule, { firstDay, fromDay, toDay, startOn }: DayRange): Generator<number> {
  const { periodOf, daysOf } = PERIODS[rule.frequency]
  const isDay = dayTest(rule, firstDay)
  const first = periodOf(firstDay, rule)
  const last = periodOf(toDay, rule)
  const passed = Math.max(0, Math.floor((periodOf(fromDay, rule) - first) / rule.interval))
  for (let period = first + passed * rule.interval; period <= last; period += rule.interval) {
    const days = daysOf(period, rule).filter(isDay)
    for (const day of rule.positions ? positioned(days, rule.positions) : days) {
      if (day > toDay) return
      const startMs = day < firstDay || day < fromDay ? undefined : startOn(day)
      if (startMs !== undefined) yield startMs
    }
  }
}

const dayNumber = (year: number, month: number, day = 1): number => Date.UTC(year, month, day) / DAY_MS
const range = (from: number, end: number): number[] => Array.from({ length: end - from }, (_, index) => from + index)
const dateOf = (day: number): Date => new Date(day * DAY_MS)
/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** The periods of which a rule takes each, or each second, …: by number, with their days. */
const PERIODS: Readonly<
  Record<Frequency, { periodOf(day: number, rule: DayRule): number; daysOf(period: number, rule: DayRule): number[] }>
> = {
  DAILY: { periodOf: (day) => day, daysOf: (day) => [day] },
  WEEKLY: {
    periodOf: (day, { weekStart }) => Math.floor((day + 4 - weekStart) / 7),
    daysOf: (week, { weekStart }) => range(week * 7 - 4 + weekStart, week * 7 + 3 + weekStart),
  },
  MONTHLY: {
    periodOf: (day) => dateOf(day).getUTCFullYear() * 12 + dateOf(day).getUTCMonth(),
    daysOf: (month) => range(dayNumber(Math.floor(month / 12), month % 12), dayNumber(Math.floor(month / 12), (month % 12) + 1)),
  },
  YEARLY: {
    periodOf: (day) => dateOf(day).getUTCFullYear(),
    daysOf: (year) => range(dayNumber(year, 0), dayNumber(year + 1, 0)),
  },
}

/** Whether a day fits the rule; what the rule does not say is as on its first day. */
function dayTest(rule: DayRule, firstDay: number): (day: number) => boolean {
  const { frequency } = rule
  const first = dateOf(firstDay)
  const isByMonths = frequency === 'MONTHLY' || frequency === 'YEARLY'
  const saysDay = rule.weekdays !== undefined || rule.monthDays !== undefined
  const weekdays = rule.weekdays ?? (frequency === 'WEEKLY' ? [{ weekday: weekdayOf(firstDay), nth: 0 }] : undefined)
  const monthDays = rule.monthDays ?? (isByMonths && !saysDay ? [first.getUTCDate()] : undefined)
  const months = rule.months ?? (frequency === 'YEARLY' && !saysDay ? [first.getUTCMonth() + 1] : undefined)
  const isOfYear = frequency === 'YEARLY' && rule.months === undefined
  const fitsWeekday = (day: number) =>
    weekdays?.some(({ weekday, nth }) => weekday === weekdayOf(day) && (nth === 0 || isNth(day, nth, isOfYear))) ?? true
  if (!months && !monthDays) return fitsWeekday
  return (day) => {
    const date = dateOf(day)
    if (months && !months.includes(date.getUTCMonth() + 1)) return false
    const left = dayNumber(date.getUTCFullYear(), date.getUTCMonth() + 1) - day
    return (!monthDays || monthDays.includes(date.getUTCDate()) || monthDays.includes(-left)) && fitsWeekday(day)
  }
}

/** Whether the day is the nth of its weekday in its month or year, negative: from its end. */
function isNth(day: number, nth: number, isOfYear: boolean): boolean {
  const date = dateOf(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const [from, end] = isOfYear
    ? [dayNumber(year, 0), dayNumber(year + 1, 0)]
    : [dayNumber(year, month), dayNumber(year, month + 1)]
  return nth === Math.floor((day - from) / 7) + 1 || nth === -Math.floor((end - 1 - day) / 7) - 1
}

const positioned = (days: readonly number[], positions: readonly number[]): number[] =>
  days.filter((_, index) => positions.includes(index + 1) || positions.includes(index - days.length))
