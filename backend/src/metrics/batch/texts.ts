import { below, type Faults, type Fields } from './faults.ts'

/** Length bounds in code points, as JSON Schema counts them. */
export interface TextBounds {
  min: number
  max: number
}

/** Why a text is refused; undefined when it is fine. NUL cannot be stored, a lone surrogate cannot be sent back. */
function faultOfText(value: unknown, { min, max }: TextBounds): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  // A code point is at most two code units: only between the two bounds must they be counted.
  const tooLong = value.length > max && (value.length > 2 * max || Array.from(value).length > max)
  if (value.length < min || tooLong) return `must have ${min} to ${max} characters`
  if (value.includes('\0') || !value.isWellFormed()) return 'must not contain NUL or half of a character'
  return undefined
}

/** The text at `name`; faults are noted, and then what is returned is of no account. */
export function readText(fields: Fields, name: string, bounds: TextBounds, path: string, faults: Faults): string {
  const value = fields[name]
  const fault = faultOfText(value, bounds)
  if (fault) faults.add(below(path, name), fault)
  return value as string
}

export function readOptionalText(fields: Fields, name: string, max: number, path: string, faults: Faults): string | undefined {
  return fields[name] === undefined ? undefined : readText(fields, name, { min: 1, max }, path, faults)
}
