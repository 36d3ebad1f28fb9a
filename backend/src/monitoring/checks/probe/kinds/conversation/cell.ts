import { readable } from './readable.ts'

/** Larger numbers stay texts, which are exact. */
const MAX_NUMBER = 1e15
const MAX_CELL_LENGTH = 300

/** The fact `cell`: a number where the target says that it is one, else a text. */
export function cellOf(value: Buffer | string, isNumeric: boolean): number | string {
  const text = readable(value, MAX_CELL_LENGTH)
  const number = isNumeric && text !== '' ? Number(text) : Number.NaN
  return Math.abs(number) <= MAX_NUMBER ? number : text
}
