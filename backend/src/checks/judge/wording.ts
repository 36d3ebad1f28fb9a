import type { Assertion } from '@vedette/shared'

/** Longer values of a target are cut: enough to be recognised. */
const SHOWN_LENGTH = 60

const cut = (text: string): string => (text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`)

/** Control characters would break a log line or a table. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const toOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').toWellFormed()

/** A value of a target or a definition as a message shows it. */
export const shown = (value: unknown): string => (typeof value === 'string' ? `"${cut(toOneLine(value))}"` : String(value))

const RELATIONS: Readonly<Record<Assertion['operator'], string>> = {
  equals: 'to be',
  not_equals: 'not to be',
  less_than: 'below',
  greater_than: 'above',
  contains: 'to contain',
  not_contains: 'not to contain',
  matches: 'to match',
  exists: 'to be there',
  not_exists: 'not to be there',
}

/** An assertion as a person would say it, behind `expected`: `header content-type to contain "json"`. */
export function wordingOf({ type, operator, property, value }: Assertion, unit: string | undefined): string {
  const named = [type.replaceAll('_', ' '), property === undefined ? [] : cut(toOneLine(property))].flat()
  const bound = value === undefined ? [] : [shown(value), unit ?? []].flat()
  return [...named, RELATIONS[operator], ...bound].join(' ')
}
