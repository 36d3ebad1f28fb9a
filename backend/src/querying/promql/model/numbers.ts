/** A number as Go writes it with the fewest digits: `1e-07`, `+Inf`, `-0`. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  // Go's exponents have two digits.
  return text.includes('e') ? text.replace(/e([+-])(\d)$/, 'e$10$2') : text
}

/** The same without an exponent. */
export function formatDecimal(value: number): string {
  const text = formatNumber(value)
  const [, sign = '', whole = '', fraction = '', exponent = ''] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === '') return text
  const [digits, shift] = [whole + fraction, Number(exponent)]
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${digits}`
  return sign + digits.padEnd(shift + 1, '0')
}

/** Seconds, with three decimals where they are not whole. */
export function formatInstant(atMs: number): string {
  const sign = atMs < 0 ? '-' : ''
  const ms = Math.abs(atMs)
  const rest = ms % 1_000
  return `${sign}${Math.floor(ms / 1_000)}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
}
