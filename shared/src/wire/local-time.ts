import { DAY_MS } from './durations.ts'

/** The offsets of a day before and a day after: a zone changes its clock once in this time. */
const offsetsAround = (timeZone: string, localMs: number) =>
  [offsetMs(timeZone, localMs - DAY_MS), offsetMs(timeZone, localMs + DAY_MS)] as const

/** The instants of a local time, given as if it were UTC: none where the change of the clock skips it, two where it repeats it. */
export function instantsOf(timeZone: string, localMs: number): number[] {
  if (timeZone === 'UTC') return [localMs]
  return [...new Set(offsetsAround(timeZone, localMs))]
    .filter((offset) => offsetMs(timeZone, localMs - offset) === offset)
    .map((offset) => localMs - offset)
}

/** The first instant of a local time; undefined where the change of the clock skips it. */
export function instantOf(timeZone: string, localMs: number): number | undefined {
  const instants = instantsOf(timeZone, localMs)
  return instants.length === 0 ? undefined : Math.min(...instants)
}

/** When the clock is set forward over a local time that it skips. */
export function endOfGap(timeZone: string, localMs: number): number {
  const [before, after] = offsetsAround(timeZone, localMs)
  let [firstMs, lastMs] = [localMs - after, localMs - before]
  while (lastMs - firstMs > 1) {
    const middleMs = Math.floor((firstMs + lastMs) / 2)
    if (offsetMs(timeZone, middleMs) === before) firstMs = middleMs
    else lastMs = middleMs
  }
  return lastMs
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  // Making one takes longer than a hundred uses.
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, format)
  return format
}

/** Local time minus UTC. */
export function offsetMs(timeZone: string, atMs: number): number {
  if (timeZone === 'UTC') return 0
  const parts = formatOf(timeZone).format(atMs).match(/\d+/g) ?? []
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = parts.map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1_000) * 1_000
}

/** `2026-03-29T02:30:00`, the local time of an instant. Pure. */
export const localText = (timeZone: string, atMs: number): string =>
  new Date(atMs + offsetMs(timeZone, atMs)).toISOString().slice(0, 19)

/** Whether it names a time zone of the IANA database. Offsets are refused: they do not follow daylight saving time. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
