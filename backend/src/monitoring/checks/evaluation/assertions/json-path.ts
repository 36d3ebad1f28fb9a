import type { Assertion } from '@vedette/shared'
import type { EvaluationBudget } from '../budget.ts'
import { holdsForNothing, isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { compilePath } from '../json-path.ts'
import { formatProperty, formatValue } from '../messages.ts'

/** Each value that the path selects must satisfy the operator; where it selects none, only a negative operator holds. */
export const jsonPath: AssertionEvaluator = {
  failure(assertion, { text }, budget) {
    const failure = pathFailure(assertion, text(), budget)
    return failure === undefined ? undefined : `JSON path ${formatProperty(assertion)} ${failure}`
  },
  fault({ property }) {
    const path = property === undefined ? undefined : compilePath(property)
    return path && 'fault' in path ? { path: 'property', message: `the path ${path.fault}` } : undefined
  },
}

function pathFailure({ operator, property, value }: Assertion, text: string, budget: EvaluationBudget): string | undefined {
  const path = compilePath(property ?? '')
  if ('fault' in path) return path.fault
  const document = parse(text)
  if (document === undefined) return 'not found: the body is not JSON'
  const selected = path.select(document.value, budget)
  if ('fault' in selected) return selected.fault
  if (selected.values.length === 0) return holdsForNothing(operator) ? undefined : 'not found'
  const index = selected.values.findIndex((actual) => !isSatisfied(operator, actual, value))
  return index === -1 ? undefined : `is ${describe(selected.values[index])}`
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : formatValue(value)
}
