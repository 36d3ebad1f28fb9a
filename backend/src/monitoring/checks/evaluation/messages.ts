import { type Assertion, type AssertionOperator, quantity, truncateText } from '@vedette/shared'

/** Longer values are cut: enough to be recognised. */
const MAX_VALUE_LENGTH = 60

const clip = (text: string): string => truncateText(text, MAX_VALUE_LENGTH + 1, '…')

/** Control characters would break a log line or a table. */
// oxlint-disable-next-line no-control-regex -- they are what is replaced
const toOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')

/** A value of a target or a definition as messages contain it. */
export const formatValue = (value: unknown): string => (typeof value === 'string' ? `"${clip(toOneLine(value))}"` : String(value))

/** The header or path of an assertion as messages name it. */
export const formatProperty = ({ property = '' }: Assertion): string => clip(toOneLine(property))

const EXPECTATIONS: Readonly<Record<AssertionOperator, (value: string) => string>> = {
  equals: (value) => value,
  not_equals: (value) => `not ${value}`,
  less_than: (value) => `below ${value}`,
  greater_than: (value) => `above ${value}`,
  contains: (value) => `to contain ${value}`,
  not_contains: (value) => `not to contain ${value}`,
  matches: (value) => `to match ${value}`,
  exists: () => 'to exist',
  not_exists: () => 'not to exist',
}

/** A value with its unit: `1 byte`. */
export const measured = (value: unknown, unit: string): string =>
  quantity(typeof value === 'number' ? value : formatValue(value), unit)

/** What an assertion expects, behind `expected`: `below 500 ms`. */
export const expectationOf = ({ operator, value }: Assertion, unit: string | undefined): string =>
  EXPECTATIONS[operator](unit === undefined ? formatValue(value) : measured(value, unit))
