import { locale } from '../messages/language.ts'
import { messages } from '../messages/index.ts'
import { preferences } from './preferences.ts'

/** Finding it takes as long as formatting ten times. */
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The time zone of the preferences, else that of the browser. */
export function viewerZone(): string {
  const { timeZone } = preferences()
  return timeZone === 'browser' ? browserZone : timeZone
}

let zones: readonly string[] | undefined
/** All time zones, UTC first. The browser takes as long to list them as to draw a page: only the pages that show them wait for it. */
export const timeZones = (): readonly string[] =>
  (zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')])

const cache = new Map<string, Intl.DateTimeFormat>()
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options)
  const cached = cache.get(key)
  if (cached) return cached
  const created = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone, hourCycle: 'h23' })
  cache.set(key, created)
  return created
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const

export const clock = (ms: number, zone = viewerZone()): string => formatter(zone, CLOCK).format(ms)
/** With seconds. */
export const exactClock = (ms: number, zone = viewerZone()): string => formatter(zone, { ...CLOCK, second: '2-digit' }).format(ms)
export const day = (ms: number, zone = viewerZone()): string => formatter(zone, DAY).format(ms)
export const dayAndClock = (ms: number, zone = viewerZone()): string => `${day(ms, zone)} ${clock(ms, zone)}`
export const fullDate = (ms: number, zone = viewerZone()): string => formatter(zone, { ...DAY, year: 'numeric' }).format(ms)

export const weekday = (ms: number, zone = viewerZone()): string => formatter(zone, { weekday: 'short' }).format(ms)

/**
 * A text of the backend, which writes times of the day as `16:55 UTC` and of other days as `2026-11-21 16:55 UTC`: in the zone of the
 * person, as all other times on the page. `atMs`: when it was written. Pure but for the zone.
 */
export function inViewerZone(text: string, atMs: number, zone = viewerZone()): string {
  return text.replaceAll(/(?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d)(?::\d\d)? UTC/g, (whole, date: string | undefined, time: string) => {
    const ms = Date.parse(`${date ?? new Date(atMs).toISOString().slice(0, 10)}T${time}:00Z`)
    if (Number.isNaN(ms)) return whole
    return day(ms, zone) === day(atMs, zone) ? clock(ms, zone) : dayAndClock(ms, zone)
  })
}

/** To the second, with the time zone. */
export function exact(ms: number, zone = viewerZone()): string {
  return formatter(zone, {
    weekday: 'short',
    ...DAY,
    year: 'numeric',
    ...CLOCK,
    second: '2-digit',
    timeZoneName: 'short',
  }).format(ms)
}

/** How long ago a time was; never negative, since the clock of the browser may be behind. */
export function ago(timestamp: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(timestamp)) / 1000))
  if (seconds < 90) return messages.ago.seconds(seconds)
  if (seconds < 5_400) return messages.ago.minutes(Math.round(seconds / 60))
  if (seconds < 129_600) return messages.ago.hours(Math.round(seconds / 3_600))
  return messages.ago.days(Math.round(seconds / 86_400))
}
