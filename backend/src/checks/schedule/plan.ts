import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { Sealer } from '../../platform/sealer.ts'
import type { Known, Observed } from '../results/observed.ts'
import { openRequest } from '../sealed-request.ts'
import type { ClaimKey, ClaimRow } from './claim-store.ts'
import { hintOf } from './hint-store.ts'
import type { Plan } from './runner.ts'

/** A check that this process claimed itself. */
export interface LocalPlan extends Plan, ClaimKey {
  region: number
  /** Undefined where other regions check the monitor as well. */
  known: Known | undefined
}

export function toPlan(row: ClaimRow, sealer: Sealer): LocalPlan {
  const { organization, monitor, region, fence } = row
  return {
    key: hintOf(organization, monitor),
    organization,
    monitor,
    region,
    fence,
    dueAtMs: row.due_at,
    nextDueMs: row.due_at + row.interval_seconds * 1000,
    leaseUntilMs: row.lease_until,
    ...readDefinition(row, sealer),
    known: row.is_alone ? knownOf(row) : undefined,
  }
}

/** What a prober is told; undefined with the reason where the headers cannot be read: a check without them would be another one. */
export function readDefinition(
  row: ClaimRow,
  sealer: Sealer,
): { definition: CheckDefinition; fault?: undefined } | { definition: undefined; fault: string } {
  try {
    const { headers, body } = openRequest(sealer, row.id, row.request_sealed)
    const definition = {
      type: row.type,
      url: row.url,
      method: row.method,
      headers,
      body,
      timeout: row.timeout_seconds,
      follow_redirects: row.follow_redirects,
      verify_tls: row.verify_tls,
      assertions: row.assertions,
    } as CheckDefinition // the columns hold what the schema let in
    return { definition }
  } catch {
    return { definition: undefined, fault: 'the headers of this monitor cannot be read with the secrets of this installation' }
  }
}

function knownOf(row: ClaimRow): Known {
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

export function toObserved(plan: LocalPlan, result: CheckResult, endedAtMs: number): Observed {
  const { organization, monitor, region, fence, known } = plan
  return { organization, monitor, region, fence, result, endedAtMs: Math.round(endedAtMs), known }
}
