import { HOUR_MS, instantOf, localText, offsetMs } from '@vedette/shared'

/** The first instant of a local day; where daylight saving skips midnight, the first one after it. Pure. */
export function startOfDay(timeZone: string, year: number, month: number, day: number): number {
  const midnight = Date.UTC(year, month - 1, day)
  return instantOf(timeZone, midnight) ?? instantOf(timeZone, midnight + HOUR_MS) ?? midnight
}

/** When the calendar month (or with 3 the quarter) of an instant began in a zone; `back`: so many periods before that. Pure. */
export function startOfPeriod(timeZone: string, atMs: number, months: 1 | 3, back = 0): number {
  const local = new Date(atMs + offsetMs(timeZone, atMs))
  const month = Math.floor(local.getUTCMonth() / months) * months - back * months
  const first = new Date(Date.UTC(local.getUTCFullYear(), month, 1))
  return startOfDay(timeZone, first.getUTCFullYear(), first.getUTCMonth() + 1, 1)
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** The first instant of a day that is written as `2026-11-20`; undefined for another text and a day that does not exist. Pure. */
export function parseDay(timeZone: string, text: string): number | undefined {
  const [, year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  const exists = year >= 1970 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? startOfDay(timeZone, year, month, day) : undefined
}

/** `2026-11-20 18:00`, local time of a zone. Pure. */
export const localTime = (timeZone: string, atMs: number): string => localText(timeZone, atMs).slice(0, 16).replace('T', ' ')
