import { DAY_MS } from '@vedette/shared/tables'
/** Local times have the form of a `datetime-local` field: `2026-03-29T02:30`. */
const digits = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

/** Making one takes longer than a hundred uses. */
const formatters = new Map<string, Intl.DateTimeFormat>()
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en', { ...digits, timeZone })
  formatters.set(timeZone, known)
  return known
}

/** The local time of a zone at an instant. */
export function localTimeAt(ms: number, timeZone: string): string {
  const parts = formatterOf(timeZone).formatToParts(ms)
  const part = (type: string) => parts.find((entry) => entry.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/**
 * The instant of a local time; the first one where it exists twice. Undefined for a time that a daylight saving change skips, and for
 * text that is no time. Tries the UTC offsets of the day before and of the day after, since at most one change lies between them.
 */
export function instantAt(local: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const target = local.slice(0, 16)
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => Date.parse(`${localTimeAt(ms, timeZone)}Z`) - startOfMinute(ms))
  const instants = offsets.map((offset) => asUtc - offset).filter((ms) => localTimeAt(ms, timeZone) === target)
  return instants.length > 0 ? Math.min(...instants) : undefined
}

/** The instant of a local time for the API; one that does not exist as it was typed, so that the API names the field. */
export function instantText(local: string, timeZone: string): string {
  const ms = instantAt(local, timeZone)
  return ms === undefined ? local || '-' : new Date(ms).toISOString()
}

const startOfMinute = (ms: number): number => Math.floor(ms / 60_000) * 60_000
