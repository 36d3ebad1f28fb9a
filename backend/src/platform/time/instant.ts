import { type ErrorDetail, isTimeZone, toTimestamp } from '@vedette/shared'
import { invalid } from '../errors.ts'

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Milliseconds since the epoch of an ISO 8601 instant with a zone (RFC 3339); undefined for anything else, including days that the
 * month does not have, which Date.parse would move into the next month. Digits beyond milliseconds are dropped.
 */
export function parseInstant(text: unknown): number | undefined {
  const match = typeof text === 'string' ? ISO.exec(text) : null
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = 0, zoneMinute = 0] = match
  const isClock = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
  if (!isClock || Number(zoneHour) > 23 || Number(zoneMinute) > 59 || !isDay(Number(year), Number(month), Number(day)))
    return undefined
  const ms = Number(`${fraction}00`.slice(0, 3))
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second), ms)
  const offsetMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000
  return sign === '-' ? local + offsetMs : local - offsetMs
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  return year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= days
}

/** An instant as answers show it; what is none stays, and is refused elsewhere. */
export function shownInstant(text: unknown): unknown {
  const ms = parseInstant(text)
  return ms === undefined ? text : toTimestamp(ms)
}

const noInstant = (path: string): ErrorDetail => ({
  path,
  message: 'must be an instant that exists, as 2026-11-20T18:00:00.000Z',
})

/** The instant that a client named in this field. Throws validation_error for one that does not exist. */
export function instantAt(path: string, text: string): Date {
  const ms = parseInstant(text)
  if (ms === undefined) throw invalid(noInstant(path))
  return new Date(ms)
}

/** One fault for a text that is no instant, none for one that is left out. */
export const instantFaults = (path: string, text: string | undefined): ErrorDetail[] =>
  text === undefined || parseInstant(text) !== undefined ? [] : [noInstant(path)]

/** One fault for a name that is no time zone. */
export const zoneFaults = (name: string): ErrorDetail[] =>
  isTimeZone(name) ? [] : [{ path: 'time_zone', message: 'must be a time zone, for example Europe/Berlin' }]
