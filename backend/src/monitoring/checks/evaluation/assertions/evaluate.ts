import { type Assertion, assertionTypeSpec, type CheckError, type ErrorDetail, truncateText } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import { ASSERTION_EVALUATORS } from './index.ts'
import { factOf } from './fact.ts'
import { createBudget, type EvaluationBudget } from '../budget.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { expectationOf } from '../messages.ts'
import type { Observation } from '../observation.ts'
import { MAX_PATTERN_SIZE } from '../pattern.ts'

export type Evaluation = { outcome: 'up'; error: null } | FailedEvaluation
interface FailedEvaluation {
  outcome: 'degraded' | 'down' | 'inconclusive'
  error: CheckError
}

/** By assertion type. */
type Registry = Readonly<Partial<Record<string, AssertionEvaluator>>>

/**
 * The outcome of a response, with the first assertion that decides it. Without assertions the status code must be 200–399. An
 * assertion that this probe cannot evaluate, because a newer backend sent it, makes the check inconclusive: it might have failed.
 * Only another assertion that fails as down decides the outcome without it.
 */
export function evaluateAssertions(
  observation: Observation,
  assertions: readonly Assertion[],
  registry: Registry = ASSERTION_EVALUATORS,
): Evaluation {
  if (assertions.length === 0) return evaluateStatus(observation)
  const budget = createBudget(assertions)
  const first: { degraded?: FailedEvaluation; inconclusive?: FailedEvaluation } = {}
  for (const assertion of assertions) {
    const failed = evaluate(assertion, observation, budget, registry)
    if (!failed) continue
    if (failed.outcome === 'down') return failed
    first[failed.outcome] ??= failed
  }
  return first.inconclusive ?? first.degraded ?? { outcome: 'up', error: null }
}

function evaluateStatus({ statusCode }: Observation): Evaluation {
  if (statusCode === null || (statusCode >= 200 && statusCode <= 399)) return { outcome: 'up', error: null }
  return { outcome: 'down', error: { code: 'status', message: `status ${statusCode} (expected 200–399)` } }
}

/** Undefined when the assertion holds. */
function evaluate(
  assertion: Assertion,
  observation: Observation,
  budget: EvaluationBudget,
  registry: Registry,
): FailedEvaluation | undefined {
  const { type, operator } = assertion
  const spec = assertionTypeSpec(type)
  const evaluator = evaluatorOf(type, registry) ?? (spec && factOf(type, spec))
  if (!evaluator) return unsupported(`it does not know the type ${type}`)
  if (spec && !spec.operators.includes(operator)) return unsupported(`${type} has no operator ${operator} here`)
  const observed = evaluator.failure(assertion, observation, budget)
  if (observed === undefined) return undefined
  const fault = evaluator.fault?.(assertion, budget)
  if (fault) return unsupported(fault.message)
  const message = clip(`${observed} (expected ${expectationOf(assertion, spec?.unit)})`)
  return { outcome: evaluator.degradesOnly === true ? 'degraded' : 'down', error: { code: 'assertion', message } }
}

function unsupported(reason: string): FailedEvaluation {
  const message = clip(`this probe cannot evaluate an assertion: ${reason}`)
  return { outcome: 'inconclusive', error: { code: 'internal', message } }
}

/** The type comes from another version: `constructor` is no evaluator. */
const evaluatorOf = (type: string, registry: Registry): AssertionEvaluator | undefined =>
  Object.hasOwn(registry, type) ? registry[type] : undefined

const clip = (text: string): string => truncateText(text, MAX_CHECK_MESSAGE_LENGTH, '…')

/** Patterns and paths that cannot be used, with their path in the definition. Run `validateDefinition` first. */
export function validatePatterns(assertions: readonly Assertion[], registry: Registry = ASSERTION_EVALUATORS): ErrorDetail[] {
  const budget = createBudget(assertions)
  const faults = assertions.flatMap((assertion, index) => {
    const spec = assertionTypeSpec(assertion.type)
    const evaluator = evaluatorOf(assertion.type, registry) ?? (spec && factOf(assertion.type, spec))
    const fault = evaluator?.fault?.(assertion, budget)
    return fault ? [{ path: `assertions.${index}.${fault.path}`, message: clip(fault.message) }] : []
  })
  if (faults.length > 0 || budget.patternSize <= MAX_PATTERN_SIZE) return faults
  const message = `all patterns together are too large: at most ${MAX_PATTERN_SIZE} instructions with expanded repeats`
  return [{ path: 'assertions', message }]
}
