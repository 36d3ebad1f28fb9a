import { truncateText } from '../../wire/outside-text.ts'
import { type Calendar, type CalendarRange, expand, YEARS } from './calendar.ts'

const NAMED: Readonly<Record<string, string>> = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
  'semi-annually': '*-01,07-01 00:00:00',
  biannually: '*-01,07-01 00:00:00',
  'bi-annually': '*-01,07-01 00:00:00',
  'half-yearly': '*-01,07-01 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const ALL_WEEKDAYS = new Set([0, 1, 2, 3, 4, 5, 6])
const MAX_RANGES = 60

/** The calendar of an OnCalendar expression by systemd.time(7), or its fault. Seconds are whole, and the zone is given apart. Pure. */
export function parseOnCalendar(text: string): Calendar | string {
  if (text.trim() === '') return 'must not be empty'
  const words = (NAMED[text.trim().toLowerCase()] ?? text).trim().split(/\s+/)
  // A comma after the weekdays is part of the syntax: "Wed, 17:48".
  const weekdays = /^[A-Za-z]/.test(words[0] as string)
    ? parseWeekdays((words.shift() as string).replace(/,$/, ''))
    : ALL_WEEKDAYS
  if (typeof weekdays === 'string') return weekdays
  const date = words[0] !== undefined && !words[0].includes(':') ? words.shift() : undefined
  const time = words.shift()
  const [zone] = words
  if (zone !== undefined)
    return /^[A-Za-z]/.test(zone)
      ? `must not name a time zone (${truncateText(zone, 40)}): it is the field time_zone`
      : `has ${JSON.stringify(truncateText(zone, 40))} after the time: must be [weekdays] [[year-]month-day] [hour:minute[:second]]`
  const days = parseDate(date ?? '*-*-*')
  if (typeof days === 'string') return days
  const times = parseTime(time ?? '00:00:00')
  if (typeof times === 'string') return times
  return { ...days, ...times, weekdays, matchesEither: false, overChange: 'once' }
}

function parseWeekdays(text: string): ReadonlySet<number> | string {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [, from = '', to = from] = /^([a-z]+)(?:(?:\.\.|-)([a-z]+))?$/i.exec(part) ?? []
    const [first, last] = [weekdayOf(from), weekdayOf(to)]
    if (first === -1 || last < first)
      return `has ${JSON.stringify(truncateText(part, 40))} as weekday: must be Mon to Sun, or a range such as Mon..Fri`
    for (let day = first; day <= last; day += 1) days.add(day)
  }
  return days
}

const weekdayOf = (name: string): number =>
  WEEKDAYS.findIndex((day) => day === name.toLowerCase() || day.slice(0, 3) === name.toLowerCase())

function parseDate(text: string): Pick<Calendar, 'years' | 'months' | 'days' | 'countsFromEnd'> | string {
  const [, year = '*', month = '', before, day = ''] = /^(?:([^-~]+)-)?([^-~]+)([-~])([^-~]+)$/.exec(text) ?? []
  if (before === undefined)
    return `has ${JSON.stringify(truncateText(text, 40))} as date: must be year-month-day or month-day, such as *-*-01`
  const years = parsePart(year, 'year', YEARS.minimum, YEARS.maximum)
  if (typeof years === 'string') return years
  const months = parsePart(month, 'month', 1, 12)
  if (typeof months === 'string') return months
  const days = parsePart(day, 'day', 1, 31)
  if (typeof days === 'string') return days
  return {
    years: expand(years, YEARS.maximum),
    months: expand(months, 12),
    days,
    countsFromEnd: before === '~',
  }
}

function parseTime(text: string): Pick<Calendar, 'hours' | 'minutes' | 'seconds'> | string {
  const [hour = '', minute, second = '00', ...rest] = text.split(':')
  if (minute === undefined || rest.length > 0)
    return `has ${JSON.stringify(truncateText(text, 40))} as time: must be hour:minute or hour:minute:second, such as 02:30`
  const hours = parsePart(hour, 'hour', 0, 23)
  if (typeof hours === 'string') return hours
  const minutes = parsePart(minute, 'minute', 0, 59)
  if (typeof minutes === 'string') return minutes
  const seconds = parsePart(second, 'second', 0, 59)
  if (typeof seconds === 'string') return seconds
  const ascending = (ranges: readonly CalendarRange[], maximum: number) =>
    [...expand(ranges, maximum)].sort((one, other) => one - other)
  return { hours: ascending(hours, 23), minutes: ascending(minutes, 59), seconds: ascending(seconds, 59) }
}

/** `*`, or numbers separated by commas, each with an end (`..`) and a step (`/`). */
function parsePart(text: string, name: string, minimum: number, maximum: number): CalendarRange[] | string {
  if (text === '*') return [{ start: minimum, end: maximum, step: 1 }]
  const parts = text.split(',')
  if (parts.length > MAX_RANGES) return `has more than ${MAX_RANGES} values as ${name}`
  const ranges: CalendarRange[] = []
  for (const part of parts) {
    const [, from, to, every] = /^(\d{1,4})(?:\.\.(\d{1,4}))?(?:\/(\d{1,4}))?$/.exec(part) ?? []
    const [start, end] = [numberOf(from, name), to === undefined ? undefined : numberOf(to, name)]
    const step = every === undefined ? undefined : Number(every)
    if (
      !(
        start >= minimum &&
        start <= maximum &&
        (end ?? start) >= start &&
        (end ?? start) <= maximum &&
        (step ?? 1) >= 1 &&
        (step ?? 1) <= maximum
      )
    )
      return `has ${JSON.stringify(truncateText(part, 40))} as ${name}: must be ${minimum} to ${maximum}, a range such as ${minimum}..${maximum}, a step such as ${minimum}/2, or *`
    // The end is the last number that the steps reach: days from the end of the month count their steps from there.
    ranges.push({ start, end: end === undefined ? end : end - ((end - start) % (step ?? 1)), step })
  }
  return ranges
}

/** Two digits of a year are of this or the last century, as systemd reads them. */
function numberOf(text: string | undefined, name: string): number {
  const number = Number(text ?? 'NaN')
  if (name !== 'year' || number >= 100) return number
  return number + (number < 70 ? 2_000 : 1_900)
}
