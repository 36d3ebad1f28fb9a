import { truncateText } from '../../wire/outside-text.ts'
import { type Calendar, type CalendarRange, expand, type MovingDay, type WeekdayOfMonth, YEARS } from './calendar.ts'

const MACROS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

interface Field {
  name: string
  minimum: number
  maximum: number
  /** The first one stands for `minimum`. */
  names?: readonly string[]
  /** What it may have in addition, in the words of a fault. */
  others?: string
}

const MINUTE: Field = { name: 'minute', minimum: 0, maximum: 59 }
const HOUR: Field = { name: 'hour', minimum: 0, maximum: 23 }
const DAY: Field = { name: 'day of the month', minimum: 1, maximum: 31, others: 'L, LW or 15W' }
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH: Field = { name: 'month', minimum: 1, maximum: 12, names: MONTHS }
/** 7 is Sunday as well. */
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const WEEKDAY: Field = { name: 'day of the week', minimum: 0, maximum: 7, names: WEEKDAYS, others: '5L or 5#3' }

/** The calendar of a crontab line's five fields, or a fault that names the field. Pure. */
export function parseCron(text: string): Calendar | string {
  const fields = (MACROS[text.trim().toLowerCase()] ?? text).trim().split(/\s+/)
  if (fields.length !== 5)
    return 'must have the five fields of a crontab line (minute, hour, day of the month, month, day of the week), or be a name such as @daily'
  const [minuteText, hourText, dayText, monthText, weekdayText] = fields as [string, string, string, string, string]
  const [dayNumbers, movingDays] = extract(dayText, movingDay)
  const [weekdayNumbers, weekdaysOfMonth] = extract(weekdayText, weekdayOfMonth)
  const [minutes, hours, days, months, weekdays] = [
    parseField(minuteText, MINUTE),
    parseField(hourText, HOUR),
    parseField(dayNumbers, DAY),
    parseField(monthText, MONTH),
    parseField(weekdayNumbers, WEEKDAY),
  ]
  for (const parsed of [minutes, hours, days, months, weekdays]) if (typeof parsed === 'string') return parsed
  const numbers = (ranges: unknown, { maximum }: Field) => expand(ranges as CalendarRange[], maximum)
  const ascending = (ranges: unknown, field: Field) => [...numbers(ranges, field)].sort((one, other) => one - other)
  return {
    years: new Set(Array.from({ length: YEARS.maximum - YEARS.minimum + 1 }, (_, index) => YEARS.minimum + index)),
    months: numbers(months, MONTH),
    days: days as CalendarRange[],
    countsFromEnd: false,
    movingDays,
    weekdays: new Set([...numbers(weekdays, WEEKDAY)].map(fromMonday)),
    weekdaysOfMonth,
    // As cron does: where both are restricted, either is enough.
    matchesEither: !dayText.startsWith('*') && !weekdayText.startsWith('*'),
    hours: ascending(hours, HOUR),
    minutes: ascending(minutes, MINUTE),
    seconds: [0],
    overChange: fields.slice(0, 2).some((field) => field.includes('*')) ? 'as the clock shows' : 'after the gap',
  }
}

/** Cron counts from Sunday. */
const fromMonday = (weekday: number): number => (weekday + 6) % 7

/** The parts of a field that are not numbers, as `read` reads them, and the rest; undefined: nothing is left. */
function extract<T>(text: string, read: (part: string) => T | undefined): [rest: string | undefined, found: T[]] {
  const parts = text.split(',')
  const rest = parts.filter((part) => read(part) === undefined)
  return [rest.length === 0 ? undefined : rest.join(), parts.flatMap((part) => read(part) ?? [])]
}

/** `L`, `LW` and `15W`. */
function movingDay(part: string): MovingDay | undefined {
  if (/^l$/i.test(part)) return 'last'
  if (/^lw$/i.test(part)) return 'last workday'
  const nearest = Number(/^(\d{1,2})w$/i.exec(part)?.[1])
  return nearest >= DAY.minimum && nearest <= DAY.maximum ? { nearest } : undefined
}

/** `5L`, `friL`, `5#3` and `fri#3`. */
function weekdayOfMonth(part: string): WeekdayOfMonth | undefined {
  const [, day, nth] = /^([a-z]{3}|\d)(?:l|#([1-5]))$/i.exec(part) ?? []
  const weekday = day === undefined ? Number.NaN : numberOf(day, WEEKDAY)
  if (!(weekday <= WEEKDAY.maximum)) return undefined
  return { weekday: fromMonday(weekday), nth: nth === undefined ? 'last' : Number(nth) }
}

/** No ranges where there is no text. */
function parseField(text: string | undefined, field: Field): CalendarRange[] | string {
  const { name, minimum, maximum, others } = field
  const ranges: CalendarRange[] = []
  for (const part of text?.split(',') ?? []) {
    const [, from = '', to, every] = /^([a-z]{3}|\d{1,2}|\*)(?:-([a-z]{3}|\d{1,2}))?(?:\/(\d{1,2}))?$/i.exec(part) ?? []
    const start = from === '*' ? minimum : numberOf(from, field)
    const end = to === undefined ? (from === '*' || every !== undefined ? maximum : start) : numberOf(to, field, start)
    const step = every === undefined ? 1 : Number(every)
    const isStar = from === '*' && to !== undefined
    if (isStar || !(start >= minimum && start <= end && end <= maximum && step >= 1))
      return `has ${JSON.stringify(truncateText(part, 40))} as ${name}: must be ${minimum} to ${maximum}, a range such as ${minimum}-${maximum}, * or */n${others === undefined ? '' : `, ${others}`}`
    ranges.push({ start, end, step })
  }
  return ranges
}

/** NaN for what is neither a number nor a name. A name at the end of a range stands for its last number: Sunday for 7. */
function numberOf(text: string, { minimum, names = [] }: Field, start?: number): number {
  if (/^\d+$/.test(text)) return Number(text)
  const [first, last] = [names.indexOf(text.toLowerCase()), names.lastIndexOf(text.toLowerCase())]
  return first === -1 ? Number.NaN : minimum + (start === undefined ? first : last)
}
