import { type CheckError, type CheckFacts, type CheckResult, type Outcome, truncateText } from '@vedette/shared'
import { MAX_FACT_LENGTH } from '@vedette/shared/checks/limits'
import { inconclusiveResult } from '../status/inconclusive.ts'
import type { ProbeFacts } from './kinds/kind.ts'
import { responseUs, type Timeline } from './phases/timeline.ts'

/** Own delay above which the times of a check are unreliable. */
const DELAYED_US = 5_000

const toMs = (us: number | null): number | null => (us === null ? null : us / 1_000)

/** Combines the observed facts and the outcome. */
export function toResult(
  evaluation: { outcome: Outcome; error: CheckError | null },
  timeline: Timeline,
  facts: ProbeFacts,
  startedAtMs: number,
  isAnswered: boolean,
): CheckResult {
  const { us, doubtUs } = timeline
  return {
    ...evaluation,
    status_code: facts.statusCode,
    response_ms: isAnswered ? toMs(responseUs(timeline)) : null,
    dns_ms: toMs(us.dns),
    connect_ms: toMs(us.connect),
    tls_ms: toMs(us.tls),
    first_byte_ms: toMs(us.firstByte),
    transfer_ms: toMs(us.transfer),
    address: facts.address,
    http_version: facts.httpVersion,
    certificate: facts.certificate?.facts ?? null,
    facts: storable(facts.figures),
    delayed: doubtUs > DELAYED_US,
    checked_at: new Date(startedAtMs).toISOString(),
  }
}

/** Within the bounds of a result: texts come from targets. */
const storable = (figures: ProbeFacts['figures']): CheckFacts =>
  Object.fromEntries(
    Object.entries(figures)
      // JSON has no other numbers.
      .filter(([, value]) => typeof value === 'string' || Number.isFinite(value))
      .map(([name, value]) => [name, typeof value === 'string' ? truncateText(value, MAX_FACT_LENGTH) : value]),
  )

/** The result of a check that a fault of the probe prevented. */
export const ownFault = (message: string, startedAtMs: number): CheckResult =>
  inconclusiveResult(message, new Date(startedAtMs).toISOString())
