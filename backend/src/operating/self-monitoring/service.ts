import { MINUTE_MS, toTimestamp } from '@vedette/shared'
import { notifyOperator } from '../../notifying/notifications/index.ts'
import { findFirstOrganization } from '../../access/organizations/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PartitionState } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { PROBLEM_KINDS, problemsOf, type ProblemKind } from './problems.ts'
import * as store from './store.ts'

export interface SelfMonitoringDeps {
  db: Db
  clock: Clock
  log: Log
  readIngest(nowMs: number): Promise<{ isLate: boolean; lagMs: number }>
  readPartitions(nowMs: number): Promise<readonly PartitionState[]>
}

/** A worker that restarted, or that took over from a dead one, has caught up by then. */
const OVERDUE_MS = 120_000
/**
 * Compaction catches up within minutes after the installation was off, and after a new host sent the samples of a week: then it is not
 * behind.
 */
const LASTING_MS: Partial<Record<ProblemKind, number>> = { ingest_behind: 30 * MINUTE_MS }
/** The third attempt fails about two and a half minutes after the first. */
const FAILING_TRIES = 3

/**
 * Notifies the operator of problems of the installation that began or ended since the last evaluation: once, however many processes
 * evaluate. The notification goes to all channels of the first organization.
 */
export async function evaluateInstallation(deps: SelfMonitoringDeps): Promise<void> {
  const { db, clock, log } = deps
  const nowMs = clock.now()
  const problems = await findProblems(deps)
  const operator = await findFirstOrganization(db)
  if (operator === undefined) return
  await inTransaction(db, async (transaction) => {
    const at = new Date(nowMs)
    const before = await store.lockOpenProblems(transaction, at)
    const after: Record<string, store.OpenProblem> = {}
    for (const kind of PROBLEM_KINDS) {
      const message = problems[kind]
      const previous = before[kind]
      const since = previous?.since ?? toTimestamp(nowMs)
      const isOpen = message !== undefined && nowMs - Date.parse(since) >= (LASTING_MS[kind] ?? 0)
      if (message !== undefined) after[kind] = { message, since, isOpen }
      if (isOpen !== (previous?.isOpen ?? false))
        await notifyChange(transaction, operator.number, kind, isOpen ? after[kind] : undefined, previous, at)
    }
    if (JSON.stringify(after) !== JSON.stringify(before)) await store.putOpenProblems(transaction, after, at)
  })
  for (const [kind, message] of Object.entries(problems)) log.warn({ kind }, message)
}

/** The message of each problem that the installation has now. */
export async function findProblems({
  db,
  clock,
  readIngest,
  readPartitions,
}: Omit<SelfMonitoringDeps, 'log'>): Promise<Partial<Record<ProblemKind, string>>> {
  const nowMs = clock.now()
  return problemsOf({
    overdue: await store.readOverdue(db, nowMs - OVERDUE_MS),
    failing: await store.readFailing(db, FAILING_TRIES),
    ingest: await readIngest(nowMs),
    partitions: await readPartitions(nowMs),
  })
}

/** Which problems are open, and how many checks are overdue. */
export async function readInstallationHealth(
  db: Db,
  nowMs: number,
): Promise<{ problems: Record<ProblemKind, boolean>; checksOverdue: number }> {
  const [open, { checks }] = await Promise.all([store.readOpenProblems(db), store.readOverdue(db, nowMs - OVERDUE_MS)])
  const problems = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, open.includes(kind)]))
  return { problems: problems as Record<ProblemKind, boolean>, checksOverdue: checks }
}

function notifyChange(
  db: Db,
  operator: number,
  kind: ProblemKind,
  current: store.OpenProblem | undefined,
  previous: store.OpenProblem | undefined,
  at: Date,
): Promise<void> {
  const message = current ? current.message : `Vedette has recovered: ${kind.replaceAll('_', ' ')}`
  const type = current ? 'vedette.unwell' : 'vedette.well'
  return notifyOperator(db, operator, { type, at, data: { problem: { kind, message, since: (current ?? previous)?.since } } })
}
