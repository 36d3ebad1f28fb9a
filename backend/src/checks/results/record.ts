import { type Db, inTransaction, isDistributed, type Pool } from '../../platform/db/index.ts'
import type { RegionView } from '../status/monitor-status.ts'
import { type Change, judgeChange, judgeCheck, type JudgedCheck } from './judge.ts'
import type { Known, Observed } from './observed.ts'
import * as store from './store.ts'

/**
 * Judges and stores checks, in one transaction; gives the places of those that were taken. What was claimed by somebody else
 * since, or is of a monitor that was changed, paused or deleted, is not taken. May be repeated.
 */
export async function recordChecks(pool: Pool, checks: readonly Observed[], nowMs: number): Promise<number[]> {
  const places = firstOfEach(checks)
  const first = places.map((place) => checks[place] as Observed)
  const alone = judgeAlone(first, nowMs)
  const taken = alone ? await storeAlone(pool, alone) : await inTransaction(pool.db, (db) => recordTogether(db, first, nowMs))
  return taken.map((place) => places[place] as number)
}

async function storeAlone(pool: Pool, { checks, changes }: Judged): Promise<number[]> {
  if (await isDistributed(pool.db)) return inTransaction(pool.db, (db) => store.storeOnNodes(db, checks, changes))
  return store.storeChecks(store.onPool(pool), checks, changes)
}

/** A claim is for one check: of two that came under one, the first stands. */
function firstOfEach(checks: readonly Observed[]): number[] {
  const seen = new Set<string>()
  return checks.flatMap(({ organization, monitor, region, fence }, place) => {
    const key = `${organization}.${monitor}.${region}.${fence}`
    if (seen.has(key)) return []
    seen.add(key)
    return [place]
  })
}

interface Judged {
  checks: JudgedCheck[]
  changes: Change[]
}

/**
 * Monitors that one region checks need no look: nobody but the holder of the claim changes what is known of them, or the fence
 * refuses the check. Undefined where one of the checks is of another kind, or belongs to an hour that may be closed.
 */
function judgeAlone(checks: readonly Observed[], nowMs: number): Judged | undefined {
  const judged: Judged = { checks: [], changes: [] }
  for (const observed of checks) {
    const { known } = observed
    const check = known && judgeCheck(observed, known)
    if (!check || store.isStale(check, nowMs)) return undefined
    const change = judgeChange(check, known.status, [viewAfter(check, known.lastConclusiveAtMs)], known.intervalMs, nowMs)
    judged.checks.push(check)
    if (change) judged.changes.push(change)
  }
  return judged
}

const viewAfter = ({ after, conclusiveAtMs }: JudgedCheck, lastConclusiveAtMs: number | null): RegionView => ({
  state: after.state,
  lastConclusiveAtMs: conclusiveAtMs ?? lastConclusiveAtMs,
})

async function recordTogether(db: Db, checks: readonly Observed[], nowMs: number): Promise<number[]> {
  await store.lockMonitors(
    db,
    checks.map(({ monitor }) => monitor),
  )
  const rows = await store.lockSchedule(db, checks)
  const { judged, places } = judgeTogether(checks, rows, nowMs)
  const stale = judged.checks.filter((check) => store.isStale(check, nowMs))
  if (stale.length > 0) await store.markStaleHours(db, stale)
  const taken = await ((await isDistributed(db))
    ? store.storeOnNodes(db, judged.checks, judged.changes)
    : store.storeChecks(store.inside(db), judged.checks, judged.changes))
  return taken.map((place) => places[place] as number)
}

interface Region extends RegionView {
  row: store.KnownRow
}

/** Judges the checks whose fences still hold, then each monitor once, as its regions are after all of them. Pure. */
function judgeTogether(
  checks: readonly Observed[],
  rows: readonly store.KnownRow[],
  nowMs: number,
): { judged: Judged; places: number[] } {
  const monitors = Map.groupBy(
    rows.map((row): Region => ({ row, state: row.state, lastConclusiveAtMs: row.last_conclusive_at })),
    ({ row }) => `${row.organization}.${row.monitor}`,
  )
  const judged: Judged = { checks: [], changes: [] }
  const places: number[] = []
  const last = new Map<string, JudgedCheck>()
  for (const [place, observed] of checks.entries()) {
    const name = `${observed.organization}.${observed.monitor}`
    const region = monitors.get(name)?.find(({ row }) => row.region === observed.region)
    if (!region || region.row.fence !== observed.fence) continue
    const check = judgeCheck(observed, knownOf(region.row))
    Object.assign(region, viewAfter(check, region.lastConclusiveAtMs))
    judged.checks.push(check)
    places.push(place)
    last.set(name, worse(last.get(name), check))
  }
  for (const [name, check] of last) {
    const regions = monitors.get(name) ?? []
    const row = regions[0]?.row as store.KnownRow
    const change = judgeChange(check, row.status, regions, row.interval_seconds * 1000, nowMs)
    if (change) judged.changes.push(change)
  }
  return { judged, places }
}

const RANK = { inconclusive: 0, up: 1, degraded: 2, down: 3 } as const

/** The check that tells more of why a status changed. */
function worse(one: JudgedCheck | undefined, other: JudgedCheck): JudgedCheck {
  return one && RANK[one.observed.result.outcome] >= RANK[other.observed.result.outcome] ? one : other
}

function knownOf(row: store.KnownRow): Omit<Known, 'status'> {
  return {
    confirmations: row.confirmations,
    intervalMs: row.interval_seconds * 1000,
    anchorMs: row.anchor,
    // Null: held; then the fence has moved on as well.
    dueAtMs: row.due_at ?? 0,
    lastConclusiveAtMs: row.last_conclusive_at,
    state: row.state,
    failures: row.failures,
    successes: row.successes,
  }
}
