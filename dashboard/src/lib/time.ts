import { text } from '../messages/index.ts'
import { preferences } from './preferences.ts'

/** Where the viewer reads times: what was chosen, else the browser's. */
export function viewerZone(): string {
  const { timeZone } = preferences()
  return timeZone === 'browser' ? Intl.DateTimeFormat().resolvedOptions().timeZone : timeZone
}

/** What may be chosen. */
export const TIME_ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

const cache = new Map<string, Intl.DateTimeFormat>()
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options)
  const known = cache.get(key)
  if (known) return known
  // Days before months as the wire has them, 24 hours: one way to read a time in every browser.
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' })
  cache.set(key, made)
  return made
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { day: 'numeric', month: 'short' } as const

export const clock = (ms: number, zone = viewerZone()): string => formatter(zone, CLOCK).format(ms)
export const day = (ms: number, zone = viewerZone()): string => formatter(zone, DAY).format(ms)
export const dayAndClock = (ms: number, zone = viewerZone()): string => `${day(ms, zone)} ${clock(ms, zone)}`
export const fullDate = (ms: number, zone = viewerZone()): string => formatter(zone, { ...DAY, year: 'numeric' }).format(ms)

/** To the second, with the zone: what is shown on hover. */
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

/** How long ago an instant was. A clock that is behind the backend's sees no future. */
export function ago(timestamp: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(timestamp)) / 1000))
  if (seconds < 90) return text.ago.seconds(seconds)
  if (seconds < 5_400) return text.ago.minutes(Math.round(seconds / 60))
  if (seconds < 129_600) return text.ago.hours(Math.round(seconds / 3_600))
  return text.ago.days(Math.round(seconds / 86_400))
}
