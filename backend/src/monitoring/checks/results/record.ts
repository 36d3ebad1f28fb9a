import { followStatuses } from '../composites/refresh.ts'
import { type Db, inTransaction, isDistributed, type Pool } from '../../../platform/db/index.ts'
import type { RegionView } from '../status/monitor-status.ts'
import { type StatusTransition, deriveTransition, applyCheck, applyOutside, type AppliedCheck } from './apply.ts'
import type { MonitorSnapshot, CompletedCheck } from './completed-check.ts'
import * as store from './store.ts'

/**
 * Derives the effect of checks and stores both in one transaction; returns the indexes of the checks that were stored. A check is
 * refused when another worker has claimed it since, or its monitor was changed, paused or deleted. May be repeated. Composites follow
 * in a transaction of their own; where this process ends before it, their next sweep sees the same.
 */
export async function recordChecks(pool: Pool, checks: readonly CompletedCheck[], nowMs: number): Promise<number[]> {
  const indexes = firstOfEachClaim(checks)
  const first = indexes.map((index) => checks[index] as CompletedCheck)
  const alone = applyWithSnapshots(first, nowMs)
  const { taken, changes } = alone
    ? { taken: await storeApplied(pool, alone), changes: alone.changes }
    : await inTransaction(pool.db, (db) => recordLocked(db, first, nowMs))
  await followStatuses(pool.db, changes, new Date(nowMs))
  return taken.map((index) => indexes[index] as number)
}

async function storeApplied(pool: Pool, { checks, changes }: AppliedChecks): Promise<number[]> {
  if (await isDistributed(pool.db))
    return inTransaction(pool.db, (db) => store.storeDistributed(store.onTransaction(db), checks, changes))
  return store.storeChecks(store.onPool(pool), checks, changes)
}

/** A claim permits one check: of two results under one claim the first counts. */
function firstOfEachClaim(checks: readonly CompletedCheck[]): number[] {
  const seen = new Set<string>()
  return checks.flatMap(({ organization, monitor, region, fence }, index) => {
    const key = `${organization}.${monitor}.${region}.${fence}`
    if (seen.has(key)) return []
    seen.add(key)
    return [index]
  })
}

/** A transaction, and whether results are on nodes. */
export interface LockingTransaction {
  run: store.RunStatement
  isOnNodes: boolean
}

/** What a locked monitor is after its check. */
export type LockedProgress = Pick<MonitorSnapshot, 'state' | 'failures' | 'successes' | 'status' | 'lastConclusiveAtMs'> & {
  fence: number
  lastCheckedAtMs: number
}

/**
 * Stores checks of monitors with one region whose schedule this transaction has locked, with their snapshots; at most one a monitor.
 * Returns what each monitor is afterwards, in the order of the checks.
 */
export async function recordLockedChecks(
  { run, isOnNodes }: LockingTransaction,
  checks: readonly CompletedCheck[],
  nowMs: number,
): Promise<LockedProgress[]> {
  const applied = checks.map((observed) => applyOne(observed, observed.snapshot as MonitorSnapshot, nowMs))
  const stale = applied.filter(({ check }) => store.isHourClosing(check, nowMs)).map(({ check }) => check)
  if (stale.length > 0) await store.markStaleHours(run, stale)
  const changes = applied.flatMap(({ change }) => change ?? [])
  const stored = applied.map(({ check }) => check)
  await (isOnNodes ? store.storeDistributed(run, stored, changes) : store.storeChecks(run, stored, changes))
  return applied.map(({ check, change }) => {
    const { snapshot, fence } = check.observed
    const lastConclusiveAtMs = check.conclusiveAtMs ?? snapshot?.lastConclusiveAtMs ?? null
    const status = change?.to ?? (snapshot as MonitorSnapshot).status
    return { ...check.after, status, lastConclusiveAtMs, fence: fence + 1, lastCheckedAtMs: check.checkedAtMs }
  })
}

interface AppliedChecks {
  checks: AppliedCheck[]
  changes: StatusTransition[]
}

/**
 * Monitors with one region need no locked read: only the holder of the claim changes their state, and otherwise the fence refuses
 * the check. Undefined when a check has no snapshot, or belongs to an hour that may be compacted.
 */
function applyWithSnapshots(checks: readonly CompletedCheck[], nowMs: number): AppliedChecks | undefined {
  const applied: AppliedChecks = { checks: [], changes: [] }
  for (const observed of checks) {
    const { snapshot } = observed
    if (!snapshot) return undefined
    const { check, change } = applyOne(observed, snapshot, nowMs)
    if (store.isHourClosing(check, nowMs)) return undefined
    applied.checks.push(check)
    if (change) applied.changes.push(change)
  }
  return applied
}

/** Of a monitor with one region. */
function applyOne(
  observed: CompletedCheck,
  snapshot: MonitorSnapshot,
  nowMs: number,
): { check: AppliedCheck; change: StatusTransition | undefined } {
  const check = snapshot.status === 'idle' ? applyOutside(observed, snapshot) : applyCheck(observed, snapshot)
  const regions = [viewAfter(check, snapshot.lastConclusiveAtMs)]
  return { check, change: deriveTransition(check, snapshot.status, regions, snapshot.intervalMs, nowMs) }
}

const viewAfter = ({ after, conclusiveAtMs }: AppliedCheck, lastConclusiveAtMs: number | null): RegionView => ({
  state: after.state,
  lastConclusiveAtMs: conclusiveAtMs ?? lastConclusiveAtMs,
})

async function recordLocked(
  db: Db,
  checks: readonly CompletedCheck[],
  nowMs: number,
): Promise<{ taken: number[]; changes: StatusTransition[] }> {
  await store.lockMonitors(
    db,
    checks.map(({ monitor }) => monitor),
  )
  const rows = await store.lockSchedule(db, checks)
  const { applied, indexes } = applyLocked(checks, rows, nowMs)
  const stale = applied.checks.filter((check) => store.isHourClosing(check, nowMs))
  if (stale.length > 0) await store.markStaleHours(store.onTransaction(db), stale)
  const taken = await ((await isDistributed(db))
    ? store.storeDistributed(store.onTransaction(db), applied.checks, applied.changes)
    : store.storeChecks(store.onTransaction(db), applied.checks, applied.changes))
  return { taken: taken.map((index) => indexes[index] as number), changes: applied.changes }
}

interface Region extends RegionView {
  row: store.ScheduleRow
}

/**
 * Applies the checks whose fences still match, then derives each monitor's status once, from its regions after all of them. Pure.
 */
function applyLocked(
  checks: readonly CompletedCheck[],
  rows: readonly store.ScheduleRow[],
  nowMs: number,
): { applied: AppliedChecks; indexes: number[] } {
  const monitors = Map.groupBy(
    rows.map((row): Region => ({ row, state: row.state, lastConclusiveAtMs: row.last_conclusive_at })),
    ({ row }) => `${row.organization}.${row.monitor}`,
  )
  const applied: AppliedChecks = { checks: [], changes: [] }
  const indexes: number[] = []
  const last = new Map<string, AppliedCheck>()
  for (const [index, observed] of checks.entries()) {
    const name = `${observed.organization}.${observed.monitor}`
    const region = monitors.get(name)?.find(({ row }) => row.region === observed.region)
    if (!region || region.row.fence !== observed.fence) continue
    const before = snapshotOf(region.row)
    const check = region.row.status === 'idle' ? applyOutside(observed, before) : applyCheck(observed, before)
    Object.assign(region, viewAfter(check, region.lastConclusiveAtMs))
    applied.checks.push(check)
    indexes.push(index)
    last.set(name, worse(last.get(name), check))
  }
  for (const [name, check] of last) {
    const regions = monitors.get(name) ?? []
    const row = regions[0]?.row as store.ScheduleRow
    const change = deriveTransition(check, row.status, regions, row.interval_seconds * 1000, nowMs)
    if (change) applied.changes.push(change)
  }
  return { applied, indexes }
}

const RANK = { inconclusive: 0, up: 1, degraded: 2, down: 3 } as const

/** The check with the worse outcome: it explains a transition better. */
function worse(one: AppliedCheck | undefined, other: AppliedCheck): AppliedCheck {
  return one && RANK[one.observed.result.outcome] >= RANK[other.observed.result.outcome] ? one : other
}

function snapshotOf(row: store.ScheduleRow): Omit<MonitorSnapshot, 'status'> {
  return {
    confirmations: row.confirmations,
    intervalMs: row.interval_seconds * 1000,
    anchorMs: row.anchor,
    // Null while paused; the fence has changed then as well.
    dueAtMs: row.due_at ?? 0,
    lastConclusiveAtMs: row.last_conclusive_at,
    state: row.state,
    failures: row.failures,
    successes: row.successes,
  }
}
