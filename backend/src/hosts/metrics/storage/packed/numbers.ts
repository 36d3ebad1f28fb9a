import { type Column, DELTA, FROM_LEAST } from './format.ts'
import { tokenOf } from './tokens.ts'

/** Below it a number is computed as a 32-bit integer. */
const SMALL = 2 ** 30

/**
 * The numbers of the values [from, to), which begin a part, and the tokens of these numbers, written from `at` on; counts the tokens.
 * `numbers` may be `values`. The hot loop. Doubles do the same everywhere.
 */
export function toNumbers(
  { form, base, drift }: Pick<Column, 'form' | 'base' | 'drift'>,
  values: Float64Array,
  from: number,
  to: number,
  numbers: Float64Array,
  tokens: Uint8Array,
  at: number,
  counts: Uint32Array,
): void {
  const share = form / 8
  let previous = base
  for (let index = from, out = at; index < to; index++, out++) {
    const value = values[index] as number
    const distance =
      form === FROM_LEAST
        ? value - base
        : value - (form === DELTA ? previous + drift : base + Math.floor((previous - base) * share))
    previous = value
    const small = distance | 0
    let number = distance
    if (form !== FROM_LEAST)
      if (small === distance && small < SMALL && small >= -SMALL) number = (small << 1) ^ (small >> 31)
      else number = distance < 0 ? -2 * distance - 1 : 2 * distance
    const token = tokenOf(number)
    numbers[out] = number
    tokens[out] = token
    counts[token] = (counts[token] as number) + 1
  }
}
