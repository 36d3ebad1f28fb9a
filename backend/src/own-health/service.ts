import { toTimestamp } from '@vedette/shared'
import { tellOperator } from '../alerts/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction, type PartitionState } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import { PROBLEM_KINDS, problemsOf, type ProblemKind } from './problems.ts'
import * as store from './store.ts'

export interface OwnHealthDeps {
  db: Db
  clock: Clock
  log: Log
  readIngest(nowMs: number): Promise<{ isLate: boolean; lagMs: number }>
  readPartitions(nowMs: number): Promise<readonly PartitionState[]>
}

/** A worker that was started anew, or took over from a dead one, has made up for it by then. */
const OVERDUE_MS = 120_000
/** By then some two and a half minutes have passed. */
const FAILING_TRIES = 3

/**
 * Looks whether the installation keeps up, and tells its operator what has become wrong or well since somebody looked last: once,
 * however many processes look. Told by all channels of the organization that was made first.
 */
export async function judgeOwnHealth({ db, clock, log, readIngest, readPartitions }: OwnHealthDeps): Promise<void> {
  const nowMs = clock.now()
  const problems = problemsOf({
    overdue: await store.readOverdue(db, nowMs - OVERDUE_MS),
    failing: await store.readFailing(db, FAILING_TRIES),
    ingest: await readIngest(nowMs),
    partitions: await readPartitions(nowMs),
  })
  const operator = await store.findOperator(db)
  if (operator === undefined) return
  await inTransaction(db, async (transaction) => {
    const at = new Date(nowMs)
    const before = await store.lockStanding(transaction, at)
    const after: Record<string, store.Standing> = {}
    for (const kind of PROBLEM_KINDS) {
      const message = problems[kind]
      const standing = before[kind]
      if (message !== undefined) after[kind] = { message, since: standing?.since ?? toTimestamp(nowMs) }
      if ((message === undefined) !== (standing === undefined))
        await tellChange(transaction, operator, kind, after[kind], standing, at)
    }
    if (JSON.stringify(after) !== JSON.stringify(before)) await store.putStanding(transaction, after, at)
  })
  for (const [kind, message] of Object.entries(problems)) log.warn({ kind }, message)
}

/** Which problems were told and stand, and how many checks are overdue. */
export async function readOwnHealth(
  db: Db,
  nowMs: number,
): Promise<{ problems: Record<ProblemKind, boolean>; checksOverdue: number }> {
  const [standing, { checks }] = await Promise.all([store.readStanding(db), store.readOverdue(db, nowMs - OVERDUE_MS)])
  const problems = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, standing[kind] !== undefined]))
  return { problems: problems as Record<ProblemKind, boolean>, checksOverdue: checks }
}

function tellChange(
  db: Db,
  operator: number,
  kind: ProblemKind,
  now: store.Standing | undefined,
  before: store.Standing | undefined,
  at: Date,
): Promise<void> {
  const told = now ?? before
  const message = now ? now.message : `Vedette is well again: ${kind.replaceAll('_', ' ')} no more`
  const type = now ? 'vedette.unwell' : 'vedette.well'
  return tellOperator(db, operator, { type, at, data: { problem: { kind, message, since: told?.since } } })
}
