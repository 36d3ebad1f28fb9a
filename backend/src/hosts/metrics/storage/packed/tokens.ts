/**
 * A number from 0 to 2^53 − 1 as a token, which is entropy coded, and lower bits, which are stored as they are: numbers below 8 are
 * tokens of their own; from there on each power of two is four tokens. The lower bits of a measured value are noise.
 */
export const TOKENS = 212
const DIRECT = 8
const SMALL = 2 ** 31

export function tokenOf(value: number): number {
  if (value < DIRECT) return value
  if (value >= SMALL) return tokenOfLarge(value)
  const exponent = 31 - Math.clz32(value)
  return DIRECT + (exponent - 3) * 4 + ((value >>> (exponent - 2)) & 3)
}

function tokenOfLarge(value: number): number {
  const exponent = 62 - Math.clz32(Math.floor(value / SMALL))
  return DIRECT + (exponent - 3) * 4 + Math.floor(value / 2 ** (exponent - 2)) - 4
}

const tokens = Array.from({ length: TOKENS }, (_, token) => token)
/** By token: how many lower bits it has, and the least number that has it. */
export const BITS_OF = Uint8Array.from(tokens, (token) => (token < DIRECT ? 0 : ((token - DIRECT) >> 2) + 1))
export const LEAST_OF = Float64Array.from(tokens, (token) =>
  token < DIRECT ? token : (4 + ((token - DIRECT) & 3)) * 2 ** (((token - DIRECT) >> 2) + 1),
)
