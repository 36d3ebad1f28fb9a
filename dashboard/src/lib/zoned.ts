/** A time of the clock as a field of a form has it: `2026-03-29T02:30`. */
const digits = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

/** What the clock of a zone shows at an instant. */
export function clockAt(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { ...digits, timeZone }).formatToParts(ms)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

const DAY_MS = 86_400_000

/**
 * When the clock of a zone shows that: of two, the first. Undefined for a time that the clock is put forward over, and for what is no
 * time. Tried with the distance to UTC of the day before and of the day after: between them lies at most one change.
 */
export function instantOf(local: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const wanted = local.slice(0, 16)
  const distances = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => Date.parse(`${clockAt(ms, timeZone)}Z`) - minuteOf(ms))
  const found = distances.map((distance) => asUtc - distance).filter((ms) => clockAt(ms, timeZone) === wanted)
  return found.length > 0 ? Math.min(...found) : undefined
}

const minuteOf = (ms: number): number => Math.floor(ms / 60_000) * 60_000
