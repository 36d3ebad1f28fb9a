import { viewerZone } from './time.ts'
import { instantAt } from './time-zone.ts'

/** The instant, ISO 8601, at which a day as `2026-11-30` begins in the zone of the viewer; undefined for what is no day. */
export function startOfDay(day: string | undefined): string | undefined {
  const startMs = day === undefined ? undefined : instantAt(`${day}T00:00`, viewerZone())
  return startMs === undefined ? undefined : new Date(startMs).toISOString()
}
