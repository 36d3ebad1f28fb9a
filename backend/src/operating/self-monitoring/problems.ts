import { counted } from '@vedette/shared'
import type { PartitionState } from '../../platform/db/index.ts'

export interface InstallationState {
  overdue: { checks: number; regions: readonly string[] }
  failing: { deliveries: number; channels: number; mails: number }
  /** The delay of the compaction. */
  ingest: { isLate: boolean; lagMs: number }
  partitions: readonly PartitionState[]
}

export const PROBLEM_KINDS = ['checks_missed', 'ingest_behind', 'partitions_late', 'deliveries_failing', 'mails_failing'] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** The message of each open problem. */
export function problemsOf({ overdue, failing, ingest, partitions }: InstallationState): Partial<Record<ProblemKind, string>> {
  const late = partitions.filter(({ isLate }) => isLate).map(({ table }) => table)
  const minutes = Math.round(ingest.lagMs / 60_000)
  return {
    ...(overdue.checks > 0 && {
      checks_missed: counted`Vedette is behind: ${overdue.checks} checks are overdue in ${overdue.regions.join(', ')}`,
    }),
    ...(ingest.isLate && { ingest_behind: counted`Vedette is behind: the compaction of samples is ${minutes} minutes late` }),
    ...(late.length > 0 && { partitions_late: `Vedette will soon refuse data: partitions are missing for ${late.join(', ')}` }),
    ...(failing.deliveries > 0 && {
      deliveries_failing: `Vedette cannot notify: ${failing.deliveries} notifications fail on ${failing.channels} channels`,
    }),
    ...(failing.mails > 0 && { mails_failing: `Vedette cannot notify: the mail server refuses ${failing.mails} mails` }),
  }
}
