/**
 * Texts from outside (names of hosts, people and filesystems, summaries, answers of services) for the places that read more than text
 * in them. Marks of direction turn the text around them, and so are treated like control characters.
 */
const DIRECTION = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const MARKS = new RegExp(`[${DIRECTION}]`, 'gu')
const STEERING = new RegExp(`[^\\P{Cc}\\n\\t]|[\\u2028\\u2029${DIRECTION}]`, 'gu')
const UNESCAPED = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${DIRECTION}]`, 'g')

/** One line without control characters and marks of direction: for titles, headers, subjects and lines of lists. Pure. */
export const oneLine = (text: string): string => text.replaceAll(MARKS, '').replaceAll(BREAKS, ' ').trim()

/** Lines for a terminal, which control characters would steer. Pure. */
export const toTerminal = (text: string): string => text.replaceAll(STEERING, '?')

/** The same JSON document; what it would leave to steer a terminal or a reader of logs is escaped. Pure. */
export const toTerminalJson = (json: string): string =>
  json.replaceAll(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * At most `length` UTF-16 units of the text, never half a character: a pair of units is left out as a whole, and what is half already is
 * replaced. Half a character can neither be sent nor stored. A truncated text ends with `ending`, which counts. Pure.
 */
export function truncateText(text: string, length: number, ending = ''): string {
  if (text.length <= length) return text.toWellFormed()
  const end = length - ending.length
  const isInPair = isHighHalf(text.charCodeAt(end - 1)) && isLowHalf(text.charCodeAt(end))
  return text.slice(0, isInPair ? end - 1 : end).toWellFormed() + ending
}

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A text as cell of CSV: quoted by RFC 4180, and never a formula of a spreadsheet. Pure. */
export function toCsvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
