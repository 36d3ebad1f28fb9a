import { instantOf, localText } from '@vedette/shared/tables'

// Local times have the form of a `datetime-local` field: `2026-03-29T02:30`.

/** The local time of a zone at an instant. */
export const localTimeAt = (ms: number, timeZone: string): string => localText(timeZone, ms).slice(0, 16)

/**
 * The instant of a local time; the first one where it exists twice. Undefined for a time that a daylight saving change skips, and for
 * text that is no time.
 */
export function instantAt(local: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${local}Z`)
  return Number.isNaN(asUtc) || !local.includes('T') ? undefined : instantOf(timeZone, asUtc)
}

/** The instant of a local time for the API; one that does not exist as it was typed, so that the API names the field. */
export function instantText(local: string, timeZone: string): string {
  const ms = instantAt(local, timeZone)
  return ms === undefined ? local || '-' : new Date(ms).toISOString()
}
