import { HOUR_MS, localText, offsetMs } from '@vedette/shared'

/** The first instant of a local day; where daylight saving skips midnight, the first one after it. Pure. */
export function startOfDay(timeZone: string, year: number, month: number, day: number): number {
  const midnight = Date.UTC(year, month - 1, day)
  return quickInstantOf(timeZone, midnight) ?? quickInstantOf(timeZone, midnight + HOUR_MS) ?? midnight
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

interface ClockChange {
  atMs: number
  /** Local time minus UTC, until then. */
  offsetMs: number
}
const changes = new Map<string, ClockChange[]>()
const KNOWN_FROM = '1900-01-01T00:00:00Z'
const KNOWN_UNTIL_MS = Date.UTC(2200, 0, 1)

/**
 * The first instant of a local time, given as if it were UTC; undefined where the change of the clock skips it. The changes of each
 * zone are read once, from 1900 to 2200, so that thousands of local times cost little. Pure.
 */
export function quickInstantOf(timeZone: string, localMs: number): number | undefined {
  const known = changes.get(timeZone) ?? readChanges(timeZone)
  changes.set(timeZone, known)
  let [low, high] = [0, known.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const { atMs, offsetMs: offset } = known[middle] as ClockChange
    if (localMs < atMs + offset) high = middle
    else low = middle + 1
  }
  const ms = localMs - (known[low] as ClockChange).offsetMs
  return ms < (known[low - 1]?.atMs ?? -Infinity) ? undefined : ms
}

/** Each change of the clock with the offset before it, and at last the one that stays. */
function readChanges(timeZone: string): ClockChange[] {
  const found: ClockChange[] = []
  let at = Temporal.Instant.from(KNOWN_FROM).toZonedDateTimeISO(timeZone)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    const atMs = next?.epochMilliseconds ?? Infinity
    found.push({ atMs, offsetMs: at.offsetNanoseconds / 1e6 })
    if (!next || atMs > KNOWN_UNTIL_MS) return found
    at = next
  }
}
