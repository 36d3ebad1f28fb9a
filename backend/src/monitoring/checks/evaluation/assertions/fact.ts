import type { Assertion, FactSpec } from '@vedette/shared'
import { holdsForNothing, isSatisfied } from '../compare.ts'
import type { EvaluationBudget } from '../budget.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { formatProperty, formatValue, measured } from '../messages.ts'
import { patternFault } from './body.ts'

/** Compares a fact of a kind of check with the value of the assertion of the same name, or of the name that is its property. */
export const factOf = (type: string, { label, unit, degradesOnly, property }: FactSpec): AssertionEvaluator => ({
  degradesOnly: degradesOnly === true,
  failure(assertion, { facts }, budget) {
    const { operator } = assertion
    const name = property === undefined ? type : (assertion.property ?? '')
    const actual = Object.hasOwn(facts, name) ? facts[name] : undefined
    if (actual === undefined) {
      if (holdsForNothing(operator)) return undefined
      return property === undefined ? `${label} unknown` : `value ${formatProperty(assertion)} unknown`
    }
    if (operator === 'matches' ? isMatched(assertion, String(actual), budget) : isSatisfied(operator, actual, assertion.value))
      return undefined
    if (property !== undefined) return `value ${formatProperty(assertion)} is ${formatValue(actual)}`
    return `${label} ${unit === undefined ? formatValue(actual) : measured(actual, unit)}`
  },
  fault: patternFault,
})

function isMatched(assertion: Assertion, text: string, budget: EvaluationBudget): boolean {
  const pattern = budget.patternOf(assertion)
  return pattern !== undefined && !('fault' in pattern) && pattern.isFoundIn(text)
}
