import { DAY_MS } from '@vedette/shared/tables'
import { localTimeAt } from '../../lib/time-zone.ts'
import type { ReportPeriod, ReportSearch } from './search.ts'

/** The most days of a report. */
export const MAX_DAYS = 400

/** Days such as `2026-10-31`, both inclusive. */
export interface Days {
  from: string
  to: string
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
/** The day before (-1) or after (1). */
export const shiftedDay = (day: string, by: -1 | 1): string => dayOf(Date.parse(day) + by * DAY_MS)
export const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1

/** The chosen days, else those of the period of the calendar in the zone. */
export function daysOf({ period = 'last_month', from, to }: ReportSearch, nowMs: number, zone: string): Days {
  return from !== undefined && to !== undefined ? { from, to } : daysOfPeriod(period, localTimeAt(nowMs, zone))
}

/** Months of a period, and how many periods before the present one it is. */
const PERIODS: Readonly<Record<ReportPeriod, readonly [months: number, before: number]>> = {
  this_month: [1, 0],
  last_month: [1, 1],
  this_quarter: [3, 0],
  last_quarter: [3, 1],
}

/** `today` begins with a day. */
function daysOfPeriod(period: ReportPeriod, today: string): Days {
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1]
  const [months, before] = PERIODS[period]
  const first = month - (month % months) - before * months
  return { from: dayOf(Date.UTC(year, first, 1)), to: dayOf(Date.UTC(year, first + months, 0)) }
}
