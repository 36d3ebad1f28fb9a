import type { CheckDefinition, CheckResult, Outcome } from '@vedette/shared'
import { truncateText } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import { type AttemptParts, startAttempt } from './attempt.ts'

const FAMILIES = [
  { family: 'ipv4', label: 'IPv4', fact: 'ipv4_ms' },
  { family: 'ipv6', label: 'IPv6', fact: 'ipv6_ms' },
] as const
type Family = (typeof FAMILIES)[number]

/** Of the outcomes over both families, the one that decides. */
const RANK: Readonly<Record<Outcome, number>> = { up: 0, degraded: 1, inconclusive: 2, down: 3 }

/** One check over IPv4 and one over IPv6, at the same time; `ip_family` of the definition is `both`. Returns a function that cancels both. */
export function startBoth(parts: AttemptParts, done: (result: CheckResult) => void): () => void {
  const results: { of: Family; result: CheckResult }[] = []
  const cancels = FAMILIES.map((of) =>
    startAttempt({ ...parts, definition: definitionOf(parts.definition, of), timedAs: of.fact }, (result) => {
      results.push({ of, result })
      if (results.length === FAMILIES.length) done(merged(results))
    }),
  )
  return () => {
    for (const cancel of cancels) cancel()
  }
}

/** Each family has its own response time; an assertion on the other's is that one's. */
function definitionOf(definition: CheckDefinition, { family, fact }: Family): CheckDefinition {
  const assertions = definition.assertions.filter(({ type }) => type === fact || !FAMILIES.some((other) => other.fact === type))
  // Of the same kind; the type of a union does not survive the spread.
  return { ...definition, options: { ...definition.options, ip_family: family }, assertions } as CheckDefinition
}

/** The worse result, or the slower one of two that are alike, with the facts of both. Pure. */
export function merged(results: readonly { of: Family; result: CheckResult }[]): CheckResult {
  const [worst, ...others] = results.toSorted(
    (one, other) =>
      RANK[other.result.outcome] - RANK[one.result.outcome] || (other.result.response_ms ?? 0) - (one.result.response_ms ?? 0),
  )
  const { of, result } = worst as NonNullable<typeof worst>
  const { error } = result
  return {
    ...result,
    error: error && { ...error, message: truncateText(`over ${of.label}: ${error.message}`, MAX_CHECK_MESSAGE_LENGTH) },
    facts: { ...others[0]?.result.facts, ...result.facts },
    delayed: results.some(({ result: { delayed } }) => delayed),
  }
}
