import { messages } from '../messages/index.ts'
import { locale } from '../messages/language.ts'

const FIXED = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }),
)
/** A number with exactly this many decimals, as the language of the page writes it. */
export const fixed = (value: number, decimals: 0 | 1 | 2): string => FIXED[decimals]?.format(value) ?? ''

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.5 GB`, in powers of 1000. */
export function bytes(value: number): string {
  let unit = 0
  let rest = value
  // What would be rounded to 1000 is 1.0 of the next unit.
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1000
    unit += 1
  }
  return `${fixed(rest, unit === 0 || rest >= 99.95 ? 0 : 1)} ${UNITS[unit]}`
}

/** An unknown value is shown as a dash, never as zero. */
export function orDash(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

type Value = number | null | undefined
/** `12.3 %`, and `100 %` without a decimal. */
export const percent = (value: Value): string => orDash(value, (number) => `${number >= 99.95 ? '100' : fixed(number, 1)} %`)
/** An uptime with two decimals; `100 %` only where it is exact. */
export const uptime = (value: Value): string =>
  orDash(value, (number) => `${number >= 100 ? '100' : fixed(Math.min(number, 99.99), 2)} %`)
export const load = (value: Value): string => orDash(value, (number) => fixed(number, 2))
export const rate = (value: Value): string => orDash(value, (number) => `${bytes(number)}/s`)
export const count = (value: Value): string => orDash(value, (number) => Math.round(number).toLocaleString(locale))
export const perSecond = (value: Value): string =>
  orDash(
    value,
    (number) =>
      `${number >= 100 ? Math.round(number).toLocaleString(locale) : number.toLocaleString(locale, { maximumFractionDigits: 1 })}/s`,
  )
export const cores = (value: Value): string => orDash(value, messages.cores)

export function milliseconds(value: Value): string {
  return orDash(value, (number) => {
    if (number >= 10_000) return `${fixed(number / 1000, 1)} s`
    if (number >= 999.5) return `${fixed(number / 1000, 2)} s`
    if (number >= 10 || number === 0) return `${Math.round(number)} ms`
    // Within a host and a network: of 0.03 ms one decimal would leave nothing.
    return `${number < 0.1 ? fixed(Math.max(number, 0.01), 2) : fixed(number, 1)} ms`
  })
}

const STEPS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** The two largest units: `3 d 4 h`, `45 s`. The symbols are those of the SI in every language. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const first = STEPS.findIndex(([size]) => whole >= size)
  if (first < 0) return '0 s'
  let rest = whole
  const parts = STEPS.slice(first, first + 2).map(([size, name]) => {
    const number = Math.floor(rest / size)
    rest -= number * size
    return number > 0 ? `${number} ${name}` : ''
  })
  return parts.filter((part) => part !== '').join(' ')
}

/** The seconds of `5 min`, `1 h 30 min`, `2d` or `90`; NaN for anything else. */
export function parseDuration(text: string): number {
  const parts = [...text.trim().matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*/giy)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.trim()) return Number.NaN
  return parts.reduce(
    (sum, [, number, unit = '']) => sum + Number(number?.replace(',', '.')) * secondsOf(unit.toLowerCase(), parts.length),
    0,
  )
}

function secondsOf(unit: string, parts: number): number {
  if (unit === '') return parts === 1 ? 1 : Number.NaN
  if (unit === 'm') return 60
  return STEPS.find(([, name]) => name === unit)?.[0] ?? Number.NaN
}

/** As people type a duration, exactly: `5 min`, `3661 s`. */
export function typedDuration(seconds: number): string {
  const text = duration(seconds)
  return parseDuration(text) === seconds ? text : `${seconds} s`
}
