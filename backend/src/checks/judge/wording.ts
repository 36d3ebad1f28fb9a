import type { Assertion } from '@vedette/shared'

/** Longer values of a target are cut: enough to be recognised. */
const SHOWN_LENGTH = 60

const cut = (text: string): string => (text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`)

/** Control characters would break a log line or a table. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const toOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').toWellFormed()

/** A value of a target or a definition as a message shows it. */
export const shown = (value: unknown): string => (typeof value === 'string' ? `"${cut(toOneLine(value))}"` : String(value))

/** An assertion as a person would say it: `header content-type contains "json"`. */
export function wordingOf({ type, operator, property, value }: Assertion): string {
  return [type, property === undefined ? [] : cut(toOneLine(property)), operator, value === undefined ? [] : shown(value)]
    .flat()
    .join(' ')
}
