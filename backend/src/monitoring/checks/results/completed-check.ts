import type { CheckResult, MonitorStatus } from '@vedette/shared'
import type { SeenCertificate } from '../../certificates/index.ts'
import type { RegionProgress } from '../status/region-state.ts'

/** A completed check and the claim under which it ran. */
export interface CompletedCheck {
  organization: number
  /** The monitor's surrogate. */
  monitor: number
  region: number
  /** The fence of the claim. Another fence in the schedule means that the monitor was changed or another worker has the check. */
  fence: number
  result: CheckResult
  /** End of the check by the clock of the schedule, whole ms; repeats are scheduled from it. */
  endedAtMs: number
  /** The state at the time of the claim; only for monitors with one region, where it cannot change while the claim holds. */
  snapshot?: MonitorSnapshot | undefined
  /** The result of a ping, or of its absence: one success is a recovery, and no check is due after it. */
  isPushed?: true
}

/** The certificates of checks that had TLS. */
export const seenCertificates = (checks: readonly CompletedCheck[]): SeenCertificate[] =>
  checks.flatMap(({ organization, monitor, region, result: { certificate, checked_at: at } }) =>
    certificate === null ? [] : [{ organization, monitor, region, atMs: Date.parse(at), certificate }],
  )

/** What applying a check to its region and monitor needs. */
export interface MonitorSnapshot extends RegionProgress {
  confirmations: number
  intervalMs: number
  anchorMs: number
  dueAtMs: number
  lastConclusiveAtMs: number | null
  /** Of the monitor. */
  status: MonitorStatus
}
