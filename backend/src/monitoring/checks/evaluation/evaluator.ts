import type { Assertion, ErrorDetail } from '@vedette/shared'
import type { EvaluationBudget } from './budget.ts'
import type { Observation } from './observation.ts'

/** Evaluates assertions of one type. */
export interface AssertionEvaluator {
  /** True where a failure leaves the target degraded instead of down. */
  degradesOnly?: boolean
  /**
   * What was observed, as the subject of a message (`status 503`); undefined when the assertion holds. All assertions of a check
   * share the budget.
   */
  failure(assertion: Assertion, observation: Observation, budget: EvaluationBudget): string | undefined
  /** Why an assertion cannot be evaluated here whatever the response is; the path is a field of the assertion. */
  fault?(assertion: Assertion, budget: EvaluationBudget): ErrorDetail | undefined
}
