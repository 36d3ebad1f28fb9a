import type { Assertion, CheckError, ErrorDetail } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import type { AssertionJudge } from './assertion-judge.ts'
import { ASSERTION_JUDGES } from './assertions/index.ts'
import type { Observation } from './observation.ts'
import { MAX_PATTERN_SIZE } from './pattern.ts'
import { createWork } from './work.ts'
import { wordingOf } from './wording.ts'

export type Verdict = { outcome: 'up'; error: null } | { outcome: 'degraded' | 'down'; error: CheckError }

/**
 * What the assertions make of an answer. The first failed one that decides the outcome is named. Where there are none, the
 * status code must be 200–399.
 */
export function judge(
  observation: Observation,
  assertions: readonly Assertion[],
  judges: readonly AssertionJudge[] = ASSERTION_JUDGES,
): Verdict {
  const work = createWork(assertions)
  let degraded: CheckError | undefined
  const unusual = statusFailure(observation, assertions)
  if (unusual !== undefined) return { outcome: 'down', error: { code: 'status', message: unusual } }
  for (const assertion of assertions) {
    const by = judges.find(({ type }) => type === assertion.type)
    const failure = by ? by.failure(assertion, observation, work) : 'this probe does not know the type'
    if (failure === undefined) continue
    const error = { code: 'assertion', message: clip(`expected ${wordingOf(assertion, by?.unit)}: ${failure}`) } as const
    if (by?.degradesOnly !== true) return { outcome: 'down', error }
    degraded ??= error
  }
  return degraded ? { outcome: 'degraded', error: degraded } : { outcome: 'up', error: null }
}

function statusFailure({ statusCode }: Observation, assertions: readonly Assertion[]): string | undefined {
  if (statusCode === null || (statusCode >= 200 && statusCode <= 399)) return undefined
  return assertions.length > 0 ? undefined : `expected status 200 to 399: it is ${statusCode}`
}

const clip = (text: string): string =>
  text.length <= MAX_CHECK_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_CHECK_MESSAGE_LENGTH - 1)}…`

/**
 * Patterns and paths that cannot be used, with the place in `assertions`; what goes with which type is in shared's
 * `definitionFaults`, to be asked first.
 */
export function compileFaults(
  assertions: readonly Assertion[],
  judges: readonly AssertionJudge[] = ASSERTION_JUDGES,
): ErrorDetail[] {
  const work = createWork(assertions)
  const faults = assertions.flatMap((assertion, index) => {
    const fault = judges.find(({ type }) => type === assertion.type)?.fault?.(assertion, work)
    return fault ? [{ path: `assertions.${index}.${fault.path}`, message: clip(fault.message) }] : []
  })
  if (faults.length > 0 || work.patternSize <= MAX_PATTERN_SIZE) return faults
  const message = `the patterns together are too large: at most ${MAX_PATTERN_SIZE} instructions with their repeats counted out`
  return [{ path: 'assertions', message }]
}
