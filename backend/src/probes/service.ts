import {
  type CheckResult,
  type ClaimedCheck,
  type ClaimsAnswer,
  type ClaimsBody,
  MAX_PROBE_BATCH,
  type ProbeResult,
  type ProbeResultsAnswer,
  toTimestamp,
} from '@vedette/shared'
import type { ProbePrincipal } from '../auth/index.ts'
import {
  announceWorker,
  boundOf,
  claimChecks,
  type ClaimRow,
  findStored,
  LATE_RESULTS_DAYS,
  type Observed,
  readDefinition,
  readHangingLoad,
  recordChecks,
  releaseClaims,
  unmade,
} from '../checks/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Pool } from '../platform/db/index.ts'
import { parseInstant } from '../platform/instant.ts'
import type { Sealer } from '../platform/sealer.ts'

export interface ProbeDeps {
  pool: Pool
  /** For waiting. */
  clock: Clock
  /** The clock of the schedule. */
  now(): number
  /** Opens the headers and bodies of monitors. */
  sealer: Sealer
  loads: HangingLoads
}

/** See `readHangingLoad`; a little old. */
export type HangingLoads = (region: number) => Promise<number>

const LOAD_KEPT_MS = 30_000

/** A probe asks twice a second: the sum over all monitors of its region is good for longer. */
export function createHangingLoads({ pool, now }: Pick<ProbeDeps, 'pool' | 'now'>): HangingLoads {
  const kept = new Map<number, { load: number; untilMs: number }>()
  return async (region) => {
    const known = kept.get(region)
    if (known && known.untilMs > now()) return known.load
    const load = await readHangingLoad(pool.db, region)
    kept.set(region, { load, untilMs: now() + LOAD_KEPT_MS })
    return load
  }
}

/** The way to a probe and back is longer than to a worker of ours: it is given what is due within these. */
const AHEAD_MS = 3_000
const NEAR_MS = 2_000
/** A probe cannot renew a claim: this is for the way of its results, after the time limit of the check itself. */
const LEASE_MS = 15_000
/** A probe that is asked to wait asks again within 25 s; one that is gone for longer has no share. */
const GONE_MS = 40_000
/** How soon a held request sees what was made due meanwhile. */
const LOOK_EVERY_MS = 1_000
/** Of the file descriptors of the probe it knows itself. */
const ANY_FILES = 1_000_000

/**
 * Checks of the probe's region that are due within the next seconds, claimed for it; waits for some for as long as it was asked
 * to, or until `signal` says that nobody waits for the answer any more.
 */
export async function claimForProbe(
  deps: ProbeDeps,
  { region, regionId }: ProbePrincipal,
  { worker_id: id, wait_seconds: waitSeconds = 0, limit = MAX_PROBE_BATCH }: ClaimsBody,
  signal: AbortSignal,
): Promise<ClaimsAnswer> {
  const { pool, clock, now } = deps
  const { db } = pool
  const untilMs = now() + waitSeconds * 1_000
  const announcedAtMs = Math.round(now())
  const share = await announceWorker(db, { region, id }, announcedAtMs, announcedAtMs - GONE_MS)
  const wish = { region, aheadMs: AHEAD_MS, nearMs: NEAR_MS, leaseMs: LEASE_MS, coversCheck: true, share, limit }
  for (;;) {
    const nowMs = Math.round(now())
    const rows = await claimChecks(db, { ...wish, nowMs })
    if (signal.aborted && rows.length > 0) await releaseClaims(db, region, rows)
    if (rows.length > 0 || signal.aborted || nowMs + LOOK_EVERY_MS > untilMs) {
      const load = (await deps.loads(region)) / share.count
      return { ...(await toAnswer(deps, rows)), region: regionId, in_flight: Math.ceil(boundOf(load, ANY_FILES)) }
    }
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

async function toAnswer(
  { pool, now, sealer }: ProbeDeps,
  rows: readonly ClaimRow[],
): Promise<Pick<ClaimsAnswer, 'checks' | 'server_time'>> {
  const nowMs = Math.round(now())
  const checks: ClaimedCheck[] = []
  const unreadable: Observed[] = []
  for (const row of rows) {
    const { definition, fault } = readDefinition(row, sealer)
    if (!definition) {
      unreadable.push(observedOf(row, unmade(fault, toTimestamp(nowMs)), nowMs))
      continue
    }
    checks.push({
      claim: `${row.organization}.${row.monitor}.${row.fence}`,
      due_in_ms: row.due_at - nowMs,
      next_due_in_ms: row.due_at + row.interval_seconds * 1_000 - nowMs,
      lease_ms: row.lease_until - row.timeout_seconds * 1_000 - nowMs,
      definition,
    })
  }
  if (unreadable.length > 0) await recordChecks(pool, unreadable, nowMs)
  return { server_time: toTimestamp(nowMs), checks }
}

const observedOf = (
  { organization, monitor, region, fence }: Pick<ClaimRow, 'organization' | 'monitor' | 'region' | 'fence'>,
  result: CheckResult,
  endedAtMs: number,
): Observed => ({ organization, monitor, region, fence, result, endedAtMs })

/** Clocks disagree; more than this is no clock. */
const FUTURE_MS = 300_000
const OLDEST_MS = LATE_RESULTS_DAYS * 86_400_000

/**
 * Stores what a probe brings; the answer comes after the commit. What was stored before (an answer was lost) counts as accepted
 * again, and changes nothing.
 */
export async function takeResults(
  { pool, now }: ProbeDeps,
  { region }: ProbePrincipal,
  results: readonly ProbeResult[],
): Promise<ProbeResultsAnswer> {
  const nowMs = Math.round(now())
  const observed = results.flatMap((result) => toObserved(region, result, nowMs) ?? [])
  const taken = new Set(await recordChecks(pool, observed, nowMs))
  const left = observed.filter((_, place) => !taken.has(place))
  const repeated = left.length === 0 ? 0 : (await findStored(pool.db, left)).length
  const accepted = taken.size + repeated
  return { accepted, refused: results.length - accepted }
}

/** Undefined where the times cannot be right. The region is that of the token, whatever the claim says. */
function toObserved(region: number, { claim, ended_at: endedAt, ...seen }: ProbeResult, nowMs: number): Observed | undefined {
  const [organization = 0, monitor = 0, fence = 0] = claim.split('.').map(Number)
  const checkedAtMs = parseInstant(seen.checked_at)
  const endedAtMs = parseInstant(endedAt)
  if (checkedAtMs === undefined || endedAtMs === undefined || !isStorable(organization, monitor, fence)) return undefined
  if (checkedAtMs > nowMs + FUTURE_MS || checkedAtMs < nowMs - OLDEST_MS || endedAtMs > nowMs + FUTURE_MS) return undefined
  const result: CheckResult = { ...seen, checked_at: toTimestamp(checkedAtMs) }
  const certificate = seen.certificate && parseInstant(seen.certificate.expires_at) === undefined ? null : seen.certificate
  // A repeat is due so long after the end: one that lies ahead of us would come late, and one before its begin too soon.
  const ended = Math.min(Math.max(endedAtMs, checkedAtMs), nowMs)
  return observedOf({ organization, monitor, region, fence }, { ...result, certificate }, ended)
}

const MAX_INTEGER = 2_147_483_647
const isStorable = (organization: number, monitor: number, fence: number): boolean =>
  organization <= MAX_INTEGER && monitor <= MAX_INTEGER && fence <= Number.MAX_SAFE_INTEGER
