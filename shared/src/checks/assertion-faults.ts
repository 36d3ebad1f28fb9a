import type { ErrorDetail } from '../errors.ts'
import { ASSERTION_RULES, type Assertion, type AssertionRule, MAX_ASSERTIONS } from './assertion.ts'

/** What is wrong with a list of assertions; paths begin with `assertions`. Patterns and paths are read by the judge alone. */
export function assertionFaults(assertions: readonly Assertion[]): ErrorDetail[] {
  if (assertions.length > MAX_ASSERTIONS) return [{ path: 'assertions', message: `assertions are at most ${MAX_ASSERTIONS}` }]
  return assertions.flatMap((assertion, index) =>
    faultsOf(assertion).map(({ path, message }) => ({ path: `assertions.${index}.${path}`, message })),
  )
}

function faultsOf(assertion: Assertion): ErrorDetail[] {
  const { type, operator, property, value } = assertion
  const rule: AssertionRule = ASSERTION_RULES[type]
  if (!rule.operators.includes(operator))
    return [{ path: 'operator', message: `${type} takes one of ${rule.operators.join(', ')}` }]
  return [...propertyFaults(type, rule, property), ...valueFaults(assertion, rule, value)]
}

/** `token` of RFC 9110. */
export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)

function propertyFaults(type: string, rule: AssertionRule, property: string | undefined): ErrorDetail[] {
  if (rule.property === undefined) return property === undefined ? [] : [{ path: 'property', message: `${type} has no property` }]
  if (property === undefined) return [{ path: 'property', message: `${type} needs a property: ${rule.property}` }]
  if (type === 'header' && !isHeaderName(property)) return [{ path: 'property', message: 'property is not the name of a header' }]
  return []
}

function valueFaults({ type, operator }: Assertion, rule: AssertionRule, value: Assertion['value']): ErrorDetail[] {
  const message = valueFault(type, operator, rule, value)
  return message === undefined ? [] : [{ path: 'value', message }]
}

function valueFault(type: string, operator: string, rule: AssertionRule, value: Assertion['value']): string | undefined {
  if (operator === 'exists' || operator === 'not_exists') return value === undefined ? undefined : `${operator} has no value`
  if (value === undefined) return `${type} ${operator} needs a value`
  const isOrdering = operator === 'less_than' || operator === 'greater_than'
  const kinds = isOrdering ? ['number'] : rule.value
  if (!kinds.includes(typeof value as 'number' | 'string')) return `${type} ${operator} takes a ${kinds.join(' or a ')}`
  // Every text contains the empty one.
  if (value === '' && !operator.endsWith('equals')) return `${type} ${operator} takes a text that is not empty`
  return typeof value === 'number' ? boundsFault(type, rule, value) : undefined
}

function boundsFault(type: string, { bounds }: AssertionRule, value: number): string | undefined {
  if (!bounds) return Number.isFinite(value) ? undefined : 'value is not a finite number'
  const { minimum, maximum, unit, isWhole = false } = bounds
  if (value >= minimum && value <= maximum && (!isWhole || Number.isInteger(value))) return undefined
  return `${type} is in ${unit}: a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum}`
}
