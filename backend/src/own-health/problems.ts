import type { PartitionState } from '../platform/db/index.ts'

/** What was seen of the installation. */
export interface Seen {
  overdue: { checks: number; regions: readonly string[] }
  failing: { tellings: number; channels: number; mails: number }
  /** How far putting samples together is behind. */
  ingest: { isLate: boolean; lagMs: number }
  partitions: readonly PartitionState[]
}

export const PROBLEM_KINDS = ['checks_missed', 'ingest_behind', 'partitions_late', 'deliveries_failing', 'mails_failing'] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** What is wrong, in a line each; a kind that is well is absent. Pure. */
export function problemsOf({ overdue, failing, ingest, partitions }: Seen): Partial<Record<ProblemKind, string>> {
  const late = partitions.filter(({ isLate }) => isLate).map(({ table }) => table)
  const minutes = Math.round(ingest.lagMs / 60_000)
  return {
    ...(overdue.checks > 0 && {
      checks_missed: `Vedette is behind: ${overdue.checks} checks were not made in time, in ${overdue.regions.join(', ')}`,
    }),
    ...(ingest.isLate && { ingest_behind: `Vedette is behind: samples are put together ${minutes} minutes late` }),
    ...(late.length > 0 && { partitions_late: `Vedette will soon refuse rows: no partitions are made for ${late.join(', ')}` }),
    ...(failing.tellings > 0 && {
      deliveries_failing: `Vedette cannot tell: ${failing.tellings} tellings fail, by ${failing.channels} channels`,
    }),
    ...(failing.mails > 0 && { mails_failing: `Vedette cannot tell: ${failing.mails} mails are not taken by the mail server` }),
  }
}
