import type { ErrorDetail } from '../../wire/errors.ts'
import { quantity } from '../../wire/quantity.ts'
import { MAX_ASSERTION_PROPERTY_LENGTH, MAX_ASSERTION_VALUE_LENGTH, MAX_JSON_SCHEMA_BYTES } from './limits.ts'
import type { Assertion } from './assertion.ts'
import {
  type AssertionTypeSpec,
  assertionTypeSpec,
  assertionTypesOf,
  assertionValueKinds,
  MAX_ASSERTIONS,
} from './assertion-types.ts'

/**
 * Returns the faults of a list of assertions; paths begin with `assertions`. Without the type of the check each type of assertion is
 * allowed. Only the backend compiles patterns and paths.
 */
export function validateAssertions(assertions: readonly Assertion[], checkType?: string): ErrorDetail[] {
  if (assertions.length > MAX_ASSERTIONS)
    return [{ path: 'assertions', message: `must not have more than ${MAX_ASSERTIONS} items` }]
  const types = assertionTypesOf(checkType)
  return assertions.flatMap((assertion, index) =>
    validateAssertion(assertion, types, checkType).map(({ path, message }) => ({ path: `assertions.${index}.${path}`, message })),
  )
}

const ASSERTION_FIELDS: ReadonlySet<string> = new Set(['type', 'operator', 'property', 'value'])

/** As `validateAssertions` for the assertions of HTTP in a value that no schema has checked. */
export function validateUnknownAssertions(list: unknown): ErrorDetail[] {
  if (!Array.isArray(list)) return [{ path: 'assertions', message: 'must be a list' }]
  const index = list.findIndex((one) => !isAssertion(one))
  if (index === -1) return validateAssertions(list as Assertion[], 'http')
  return [
    { path: `assertions.${index}`, message: 'must have a type, an operator, and what the type needs of property and value' },
  ]
}

function isAssertion(one: unknown): one is Assertion {
  if (typeof one !== 'object' || one === null || !Object.keys(one).every((field) => ASSERTION_FIELDS.has(field))) return false
  const { type, operator, property, value } = one as Record<string, unknown>
  return (
    typeof type === 'string' &&
    typeof operator === 'string' &&
    (property === undefined ||
      (typeof property === 'string' && property !== '' && property.length <= MAX_ASSERTION_PROPERTY_LENGTH)) &&
    (value === undefined || typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_JSON_SCHEMA_BYTES))
  )
}

function validateAssertion(assertion: Assertion, types: readonly string[], checkType = 'http'): ErrorDetail[] {
  const { type, operator } = assertion
  const spec = types.includes(type) ? assertionTypeSpec(type) : undefined
  if (!spec) return [{ path: 'type', message: `checks of type ${checkType} allow one of ${types.join(', ')}` }]
  if (!spec.operators.includes(operator))
    return [{ path: 'operator', message: `${type} allows one of ${spec.operators.join(', ')}` }]
  const property = propertyFault(assertion, spec)
  const value = valueFault(assertion, spec)
  return [
    ...(property === undefined ? [] : [{ path: 'property', message: property }]),
    ...(value === undefined ? [] : [{ path: 'value', message: value }]),
  ]
}

/** `token` of RFC 9110. */
export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)

function propertyFault({ type, property }: Assertion, spec: AssertionTypeSpec): string | undefined {
  if (!spec.property) return property === undefined ? undefined : `${type} has no property`
  if (property === undefined) return `${type} needs a property: ${spec.property.description}, such as ${spec.property.example}`
  return type === 'header' && !isHeaderName(property) ? 'must be the name of a header' : undefined
}

function valueFault({ type, operator, value }: Assertion, spec: AssertionTypeSpec): string | undefined {
  const kinds = assertionValueKinds(type, operator)
  if (kinds.length === 0) return value === undefined ? undefined : `${operator} has no value`
  if (value === undefined) return `${type} ${operator} needs a value`
  if (!kinds.includes(typeof value as 'number' | 'string')) return `${type} ${operator} needs a ${kinds.join(' or a ')}`
  const { maxLength = MAX_ASSERTION_VALUE_LENGTH } = assertionTypeSpec(type) ?? {}
  if (typeof value === 'string' && value.length > maxLength) return `must have at most ${maxLength} characters`
  // Every text contains the empty one.
  if (value === '' && !operator.endsWith('equals')) return `${type} ${operator} needs a text that is not empty`
  return typeof value === 'number' ? boundsFault(type, spec, value) : undefined
}

function boundsFault(type: string, { bounds, unit }: AssertionTypeSpec, value: number): string | undefined {
  if (!bounds) return Number.isFinite(value) ? undefined : 'must be a finite number'
  const { minimum, maximum, isWhole = false } = bounds
  if (value >= minimum && value <= maximum && (!isWhole || Number.isInteger(value))) return undefined
  return `${type} must be a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${unit === undefined ? maximum : quantity(maximum, unit)}`
}
