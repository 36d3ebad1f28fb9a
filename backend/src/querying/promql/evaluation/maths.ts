/** Functions of one value. */
export const MATHS: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  deg: (value) => (value * 180) / Math.PI,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  rad: (value) => (value * Math.PI) / 180,
  sgn: (value) => (value < 0 ? -1 : value > 0 ? 1 : value),
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
}

/** Parts of an instant in UTC. */
export const DATES: Readonly<Record<string, (date: Date) => number>> = {
  day_of_month: (date) => date.getUTCDate(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_year: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1,
  days_in_month: (date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  hour: (date) => date.getUTCHours(),
  minute: (date) => date.getUTCMinutes(),
  month: (date) => date.getUTCMonth() + 1,
  year: (date) => date.getUTCFullYear(),
}

/** NaN for what is no instant within 270,000 years. */
export const dateOf = (func: string, seconds: number): number => DATES[func]?.(new Date(Math.trunc(seconds) * 1_000)) ?? NaN

/** As in Go, an infinite bound is stronger than NaN. */
const smaller = (a: number, b: number): number => (a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b))
const larger = (a: number, b: number): number => (a === Infinity || b === Infinity ? Infinity : Math.max(a, b))

/** Undefined where the bounds exclude each other. */
export const clamp = (value: number, low: number, high: number): number | undefined =>
  high < low ? undefined : larger(low, smaller(high, value))

/** Halves go up. The inverse has the smaller error of rounding. */
export function round(value: number, nearest: number): number {
  const inverse = 1 / nearest
  return Math.floor(value * inverse + 0.5) / inverse
}
