import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import type { MonitorSnapshot, CompletedCheck } from '../results/completed-check.ts'
import { decryptRequest } from './encrypted-request.ts'
import type { ClaimKey, ClaimRow } from '../schedule/claim-store.ts'
import { scheduleKey } from '../schedule/hint-store.ts'
import type { PlannedCheck } from './runner.ts'

/** A check that this process claimed from the database. */
export interface LocalCheck extends PlannedCheck, ClaimKey {
  region: number
  /** Undefined when other regions check the monitor as well. */
  snapshot: MonitorSnapshot | undefined
}

export function toLocalCheck(row: ClaimRow, encrypter: Encrypter): LocalCheck {
  const { organization, monitor, region, fence } = row
  return {
    key: scheduleKey(organization, monitor),
    organization,
    monitor,
    region,
    fence,
    dueAtMs: row.due_at,
    nextDueMs: row.due_at + row.interval_seconds * 1000,
    leaseUntilMs: row.lease_until,
    ...decryptDefinition(row, encrypter),
    snapshot: row.has_one_region ? snapshotOf(row) : undefined,
  }
}

/**
 * The definition that a prober gets, or why its headers cannot be decrypted. A check without its headers would be a different
 * check.
 */
export function decryptDefinition(
  row: ClaimRow,
  encrypter: Encrypter,
): { definition: CheckDefinition; fault?: undefined } | { definition: undefined; fault: string } {
  const decrypted = decryptRequest(encrypter, row.id, row.request_encrypted)
  if (!decrypted)
    return {
      definition: undefined,
      fault: 'the secrets of this monitor cannot be decrypted with the secrets of this installation',
    }
  const { credentials, options: sent, ...request } = decrypted
  const { type, url, timeout_seconds: timeout, assertions, method, follow_redirects, verify_tls } = row
  const common = { type, url, timeout, options: { ...row.options, ...sent }, credentials, assertions }
  const definition = type === 'http' ? { ...common, method, ...request, follow_redirects, verify_tls } : common
  // The columns were validated when they were written.
  return { definition: definition as CheckDefinition }
}

function snapshotOf(row: ClaimRow): MonitorSnapshot {
  return {
    confirmations: row.confirmations,
    intervalMs: row.interval_seconds * 1000,
    anchorMs: row.anchor,
    dueAtMs: row.due_at,
    lastConclusiveAtMs: row.last_conclusive_at,
    status: row.status,
    state: row.state,
    failures: row.failures,
    successes: row.successes,
  }
}

export function toCompletedCheck(plan: LocalCheck, result: CheckResult, endedAtMs: number): CompletedCheck {
  const { organization, monitor, region, fence, snapshot } = plan
  return { organization, monitor, region, fence, result, endedAtMs: Math.round(endedAtMs), snapshot }
}
