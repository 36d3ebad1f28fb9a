import { type CheckDefinition, type CheckResult, truncateText } from '@vedette/shared'
import { MAX_FACT_LENGTH } from '@vedette/shared/checks/limits'

/** Of the probe alone, and no part of a result that is stored or sent. */
export interface ProbedResult extends CheckResult {
  /** It failed because its definition cannot be checked as it stands. */
  isOfDefinition?: true
}

/** The fact that says how a check failed that is expected to fail. */
const EXPECTED_FAILURE = 'expected_failure'

/**
 * The result of a check that is expected to fail (`invert`): up is down, and down is up. Degraded and inconclusive stay, and so does what
 * says nothing of the target: an address that is refused, and a definition that cannot be checked. Evaluate faults of our own first. Pure.
 */
export function concluded(definition: CheckDefinition | undefined, probed: ProbedResult): CheckResult {
  if (definition?.options.invert !== true) return withoutMark(probed)
  const { isOfDefinition, ...result } = probed
  const { outcome, error } = result
  if (outcome === 'up')
    return { ...result, outcome: 'down', error: { code: 'assertion', message: 'expected to fail, but the check passed' } }
  if (outcome !== 'down' || error?.code === 'blocked' || isOfDefinition === true) return result
  const { answer: _answer, ...passed } = result
  const seen = truncateText(`expected to fail: ${error?.message ?? ''}`, MAX_FACT_LENGTH)
  return { ...passed, outcome: 'up', error: null, facts: { ...result.facts, [EXPECTED_FAILURE]: seen } }
}

function withoutMark(probed: ProbedResult): CheckResult {
  if (probed.isOfDefinition === undefined) return probed
  const { isOfDefinition: _mark, ...result } = probed
  return result
}
