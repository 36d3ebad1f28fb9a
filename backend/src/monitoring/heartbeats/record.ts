import { type CheckErrorCode, type CheckResult, truncateText } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'
import { type CompletedCheck, type LockingTransaction, recordLockedChecks } from '../checks/index.ts'
import type { LockedHeartbeat } from './store.ts'

/** Checks store durations as µs in four bytes; longer ones are in the facts alone. */
const MAX_RESPONSE_MS = 2_147_483

export interface Outcome {
  outcome: CheckResult['outcome']
  atMs: number
  /** Of a run, from its start to its end. */
  durationMs: number | null
  message: string | null
  /** Of the message. */
  code: CheckErrorCode
  answer?: NonNullable<CheckResult['answer']>
}

const NO_PHASES = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null }

/** The result of a check that a ping, or its absence, stands for. Its instant is later than that of the check before. */
export function toCompletedCheck(heartbeat: LockedHeartbeat, outcome: Outcome): CompletedCheck {
  const { organization, monitor, region, fence, state, failures, successes, status, lastConclusiveAtMs } = heartbeat
  const atMs = Math.max(outcome.atMs, (heartbeat.lastCheckedAtMs ?? 0) + 1)
  const { durationMs, message, code, answer } = outcome
  const result: CheckResult = {
    checked_at: new Date(atMs).toISOString(),
    outcome: outcome.outcome,
    status_code: null,
    response_ms: durationMs !== null && durationMs <= MAX_RESPONSE_MS ? durationMs : null,
    ...NO_PHASES,
    error: message === null ? null : { code, message: truncateText(message, MAX_CHECK_MESSAGE_LENGTH) },
    address: null,
    http_version: null,
    certificate: null,
    delayed: false,
    ...(durationMs !== null && { facts: { duration: durationMs / 1_000 } }),
    ...(answer && { answer }),
  }
  const intervalMs = heartbeat.intervalSeconds * 1_000
  const progress = { state, failures, successes }
  const snapshot = { ...progress, confirmations: 1, intervalMs, anchorMs: 0, dueAtMs: 0, lastConclusiveAtMs, status }
  return { organization, monitor, region, fence, result, endedAtMs: atMs, snapshot, isPushed: true }
}

/**
 * Stores the results of locked heartbeats; several of one monitor one after the other, each on the state that the previous one left.
 * Returns those whose status changed.
 */
export async function recordOutcomes(
  transaction: LockingTransaction,
  outcomes: readonly { heartbeat: LockedHeartbeat; outcome: Outcome }[],
  nowMs: number,
): Promise<LockedHeartbeat[]> {
  const before = new Map(outcomes.map(({ heartbeat }) => [heartbeat, heartbeat.status]))
  let rest = outcomes
  while (rest.length > 0) {
    const first = new Map<LockedHeartbeat, Outcome>()
    const later: (typeof rest)[number][] = []
    for (const one of rest)
      if (first.has(one.heartbeat)) later.push(one)
      else first.set(one.heartbeat, one.outcome)
    const checks = [...first].map(([heartbeat, outcome]) => toCompletedCheck(heartbeat, outcome))
    const applied = await recordLockedChecks(transaction, checks, nowMs)
    for (const [index, heartbeat] of [...first.keys()].entries()) Object.assign(heartbeat, applied[index])
    rest = later
  }
  return [...before].flatMap(([heartbeat, status]) => (heartbeat.status === status ? [] : heartbeat))
}
