import type { CheckError, CheckResult, Outcome } from '@vedette/shared'
import { unmade } from '../status/truth.ts'
import type { SeenFacts } from './kinds/kind.ts'
import { PHASES, type Timeline } from './timeline.ts'

/** A check under more than this of our own delay says little about its target. */
const DELAYED_US = 5_000

const toMs = (us: number | null): number | null => (us === null ? null : us / 1_000)

/** The sum of the phases, µs. */
export const responseUs = ({ us }: Timeline): number => PHASES.reduce((sum, phase) => sum + (us[phase] ?? 0), 0)

/** What a check was, from what was seen of it and what that means. */
export function toResult(
  verdict: { outcome: Outcome; error: CheckError | null },
  timeline: Timeline,
  facts: SeenFacts,
  startedAtMs: number,
  isAnswered: boolean,
): CheckResult {
  const { us, doubtUs } = timeline
  return {
    ...verdict,
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
    delayed: doubtUs > DELAYED_US,
    checked_at: new Date(startedAtMs).toISOString(),
  }
}

/** A check that our own fault kept from being made. */
export const ownFault = (message: string, startedAtMs: number): CheckResult =>
  unmade(message, new Date(startedAtMs).toISOString())
