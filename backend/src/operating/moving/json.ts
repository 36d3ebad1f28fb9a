// Files of other tools may have anything in them: what has another type than it should is as if it were not there. All pure.

export type Json = Record<string, unknown>

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** `IF_NOT_ACKED` and `if-not-acked` are one word: some tools write constants of a program. */
export const wordOf = (value: unknown): string => textOf(value).toLowerCase().replaceAll('_', '-')

/** The part of a file that is named, else all of it: `{ "user": {…} }` and `{…}`. */
export const partOf = (value: unknown, name: string): Json => {
  const all = objectOf(value)
  return typeof all[name] === 'object' && all[name] !== null ? objectOf(all[name]) : all
}

/** The same with these fields alone. */
export const partsNamed = (one: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (one[name] === undefined ? [] : [[name, one[name]]])))

const MAX_DEPTH = 20

/** The same with `snake_case` keys: some files are written by clients with names of their own. Deeper than 20 levels nothing is changed. */
export function snakeOf(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((one) => snakeOf(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeOf(one, depth + 1),
    ]),
  )
}

const WITH_OFFSET = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d \d\d:\d\d$/

/** An instant, ms: ISO 8601 with an offset, ms since the epoch, or `2026-11-30 18:00` of UTC. Undefined for another value. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const text = textOf(value)
  if (WITHOUT_OFFSET.test(text)) return instantOf(`${text.replace(' ', 'T')}Z`)
  const ms = WITH_OFFSET.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
