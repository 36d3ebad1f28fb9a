import { DAY_MS, offsetMs } from '@vedette/shared'

/** The part of a rule that repeats by days or weeks. */
export interface DayRule {
  timeZone: string
  startMs: number
  /** RFC 5545. */
  repeat: string
  /** The changes of the clock of the zone after an instant, in order: local times from `fromMs` to `toMs` do not exist. */
  skippedAfter(atMs: number): Iterable<{ fromMs: number; toMs: number }>
}

export interface PassedStarts {
  /** Local time at which the same rule may begin instead, as if it were UTC. */
  localMs: number
  /** How many starts of the rule are before it. */
  count: number
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7
const SUPPORTED = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST', 'BYMONTH', 'BYMONTHDAY'])
/** Within so many days a start is looked for: the 29th of February is a Monday every 28 years, and 40 around the year 2100. */
const MAX_EMPTY_DAYS = 41 * 366

/**
 * How many starts of a rule lie before the last of its cycles that ends before an instant, and later ones without a start. Cycles are
 * multiplied; only where months matter the days are counted. Undefined for rules that have no cycle of days, such as those by months,
 * and before the first cycle has ended. A start at a local time that the change of the clock skips does not take place and is not
 * counted. Pure.
 */
export function passStarts({ timeZone, startMs, repeat, skippedAfter }: DayRule, beforeMs: number): PassedStarts | undefined {
  const parts = new Map(repeat.split(';').map((part) => part.split('=') as [string, string]))
  const byDay = parts.get('BYDAY')?.split(',')
  const isWeekly = parts.get('FREQ') === 'WEEKLY'
  if (!isWeekly && parts.get('FREQ') !== 'DAILY') return undefined
  const months = parts.get('BYMONTH')?.split(',').map(Number)
  const monthDays = parts.get('BYMONTHDAY')?.split(',').map(Number)
  if (isWeekly && monthDays) return undefined
  if ([...parts.keys()].some((name) => !SUPPORTED.has(name)) || byDay?.some((day) => !WEEKDAYS.includes(day))) return undefined

  const localMs = Math.floor((startMs + offsetMs(timeZone, startMs)) / 1_000) * 1_000
  const firstDay = Math.floor(localMs / DAY_MS)
  const clockMs = localMs - firstDay * DAY_MS
  const interval = Number(parts.get('INTERVAL') ?? 1)
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  const weekOf = (day: number) => Math.floor((day - weekdayOf(day - weekStart)) / 7)
  const onDays = byDay ?? (isWeekly ? [WEEKDAYS[weekdayOf(firstDay)]] : WEEKDAYS)
  const isStart = (day: number): boolean =>
    onDays.includes(WEEKDAYS[weekdayOf(day)]) &&
    (isWeekly ? weekOf(day) - weekOf(firstDay) : day - firstDay) % interval === 0 &&
    isInMonth(day, months, monthDays)

  const cycle = isWeekly || (byDay && interval % 7 !== 0) ? 7 * interval : interval
  const startsIn = (index: number): number =>
    Array.from({ length: cycle }, (_, days) => firstDay + index * cycle + days).filter(isStart).length
  const untilDay = dayOfUntil(parts.get('UNTIL'))
  const lastDay = Math.min(Math.floor((beforeMs + offsetMs(timeZone, beforeMs)) / DAY_MS), untilDay) - 2
  const most = Number(parts.get('COUNT') ?? Infinity) - 1
  let cycles = Math.max(0, Math.floor((lastDay - firstDay) / cycle))
  // The starts of the first cycles, by the number of cycles.
  const sums = [0]
  if (months || monthDays) {
    for (let index = 0; index < cycles && (sums[index] as number) <= most; index += 1)
      sums.push((sums[index] as number) + startsIn(index))
    cycles = Math.max(
      0,
      sums.findLastIndex((sum) => sum <= most),
    )
    const lastCycle = cycles + Math.floor(MAX_EMPTY_DAYS / cycle)
    while (cycles < lastCycle && startsIn(cycles) === 0) sums[++cycles] = sums.at(-1) as number
  } else cycles = Math.min(cycles, Math.floor(most / Math.max(1, startsIn(0))))
  const gaps: { fromMs: number; toMs: number }[] = []
  for (const gap of skippedAfter(startMs)) {
    if (gap.fromMs > (firstDay + cycles * cycle + 1) * DAY_MS) break
    gaps.push(gap)
  }
  const isSkipped = (day: number) => {
    const atMs = day * DAY_MS + clockMs
    return gaps.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)
  }
  // A rule that begins at a local time which does not exist would be moved as a whole.
  while (cycles > 0 && isSkipped(firstDay + cycles * cycle)) cycles -= 1
  if (cycles <= 0) return undefined
  const endDay = firstDay + cycles * cycle
  const skipped = gaps.flatMap(({ fromMs, toMs }) => {
    const [from, to] = [Math.floor(fromMs / DAY_MS), Math.floor(toMs / DAY_MS)]
    const days = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    return days.filter((day) => day >= firstDay && day < endDay && isStart(day) && isSkipped(day))
  })
  return {
    localMs: endDay * DAY_MS + clockMs,
    count: (months || monthDays ? (sums[cycles] as number) : cycles * startsIn(0)) - new Set(skipped).size,
  }
}

/** Whether the day is in these months and one of these days of the month; negative ones count from its end. */
function isInMonth(day: number, months: readonly number[] | undefined, monthDays: readonly number[] | undefined): boolean {
  if (!months && !monthDays) return true
  const date = new Date(day * DAY_MS)
  if (months && !months.includes(date.getUTCMonth() + 1)) return false
  if (!monthDays) return true
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return monthDays.some((wanted) => (wanted > 0 ? wanted : last + 1 + wanted) === date.getUTCDate())
}

function dayOfUntil(until: string | undefined): number {
  if (until === undefined) return Infinity
  const [year, month, day] = [until.slice(0, 4), until.slice(4, 6), until.slice(6, 8)].map(Number)
  return Math.floor(Date.UTC(year ?? 0, (month ?? 1) - 1, day) / DAY_MS)
}
