import type { AssertionOperator } from '@vedette/shared'

/** The value of an assertion. */
export type Wanted = string | number | undefined

/**
 * Whether a present value satisfies an operator. Numbers are compared as numbers, also when a text contains one; everything else
 * by its text (`true`, `null`). A list contains a value that equals one of its items.
 */
export function isSatisfied(operator: AssertionOperator, actual: unknown, wanted: Wanted): boolean {
  switch (operator) {
    case 'exists':
      return true
    case 'not_exists':
      return false
    case 'equals':
      return isEqual(actual, wanted)
    case 'not_equals':
      return !isEqual(actual, wanted)
    case 'contains':
      return contains(actual, wanted)
    case 'not_contains':
      return !contains(actual, wanted)
    case 'less_than':
      return (toNumber(actual) ?? Number.NaN) < (wanted as number)
    case 'greater_than':
      return (toNumber(actual) ?? Number.NaN) > (wanted as number)
    case 'matches':
      // Only the body is matched, by its own evaluator.
      return false
  }
}

/** Whether the operator holds for an absent value: it equals nothing and contains nothing. */
export const holdsForNothing = (operator: AssertionOperator): boolean =>
  operator === 'not_exists' || operator === 'not_equals' || operator === 'not_contains'

function isEqual(actual: unknown, wanted: Wanted): boolean {
  if (typeof wanted === 'number') return toNumber(actual) === wanted
  return toText(actual) === wanted
}

function contains(actual: unknown, wanted: Wanted): boolean {
  if (Array.isArray(actual)) return actual.some((item) => isEqual(item, wanted))
  return toText(actual)?.includes(String(wanted)) ?? false
}

/** Undefined for objects and lists, which have no single spelling. */
function toText(actual: unknown): string | undefined {
  return typeof actual === 'object' && actual !== null ? undefined : String(actual)
}

/** Decimal notation only: `0x10` and an empty text are not numbers. */
const DECIMAL = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/

function toNumber(actual: unknown): number | undefined {
  if (typeof actual === 'number') return actual
  return typeof actual === 'string' && DECIMAL.test(actual) ? Number(actual) : undefined
}
