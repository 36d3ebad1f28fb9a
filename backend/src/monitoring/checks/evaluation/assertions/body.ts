import { type Assertion, counted, type ErrorDetail } from '@vedette/shared'
import type { EvaluationBudget } from '../budget.ts'
import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'

export const body: AssertionEvaluator = {
  failure(assertion, { text }, budget) {
    const { operator, value } = assertion
    if (operator === 'matches') return mismatch(assertion, text(), budget)
    if (isSatisfied(operator, text(), value)) return undefined
    return operator === 'contains' ? counted`text not found in the body of ${text().length} characters` : 'text found in the body'
  },
  fault: patternFault,
}

/** Why the pattern of a `matches` assertion cannot be used. */
export function patternFault(assertion: Assertion, budget: EvaluationBudget): ErrorDetail | undefined {
  const pattern = budget.patternOf(assertion)
  return pattern && 'fault' in pattern ? { path: 'value', message: `the pattern ${pattern.fault}` } : undefined
}

/** Whether a `matches` assertion holds for what is searched of a text; undefined where its pattern cannot be compiled. */
export function isFound(assertion: Assertion, text: string, budget: EvaluationBudget): boolean | undefined {
  const pattern = budget.patternOf(assertion)
  if (!pattern || 'fault' in pattern) return undefined
  return pattern.isFoundIn(text.length <= budget.searchLength ? text : text.slice(0, budget.searchLength))
}

function mismatch(assertion: Assertion, text: string, budget: EvaluationBudget): string | undefined {
  const found = isFound(assertion, text, budget)
  if (found === undefined) return 'the pattern cannot be compiled'
  if (found) return undefined
  // The message says that a large body was searched in part only.
  return counted`no match in the first ${Math.min(text.length, budget.searchLength)} of ${text.length} characters of the body`
}
