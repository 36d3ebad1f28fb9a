import {
  type CheckResult,
  type ClaimedCheck,
  type ClaimsAnswer,
  type ClaimsBody,
  DAY_MS,
  MAX_PROBE_BATCH,
  type ProbeResult,
  type ProbeResultsAnswer,
  toTimestamp,
} from '@vedette/shared'
import { findProbe, type ProbePrincipal } from '../../access/auth/index.ts'
import type { CertificateRecorder } from '../certificates/index.ts'
import {
  recordHeartbeat,
  concurrencyLimit,
  claimChecks,
  type ClaimRow,
  findStoredChecks,
  LATE_RESULTS_DAYS,
  type CompletedCheck,
  decryptDefinition,
  readHangingLoad,
  recordChecks,
  storeResponses,
  releaseClaims,
  inconclusiveResult,
  seenCertificates,
} from '../checks/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Pool } from '../../platform/db/index.ts'
import { unauthorized } from '../../platform/errors.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'

export interface ProbeDeps {
  pool: Pool
  /** For waiting. */
  clock: Clock
  /** The clock of the schedule. */
  now(): number
  /** Decrypts headers and bodies of monitors. */
  encrypter: Encrypter
  loads: HangingLoads
  certificates: CertificateRecorder
  log: Log
}

/** As `readHangingLoad`, cached. */
export type HangingLoads = (region: number) => Promise<number>

const LOAD_TTL_MS = 30_000

/** A probe claims twice a second, and the sum over all monitors of its region changes slowly. */
export function createHangingLoads({ pool, now }: Pick<ProbeDeps, 'pool' | 'now'>): HangingLoads {
  const cache = new Map<number, { load: number; untilMs: number }>()
  return async (region) => {
    const cached = cache.get(region)
    if (cached && cached.untilMs > now()) return cached.load
    const load = await readHangingLoad(pool.db, region)
    cache.set(region, { load, untilMs: now() + LOAD_TTL_MS })
    return load
  }
}

/** Probes claim further ahead than local workers because of the network delay. */
const AHEAD_MS = 3_000
const NEAR_MS = 2_000
/** A probe cannot renew a claim: time for its results to arrive after the check's timeout. */
const LEASE_MS = 15_000
/** A waiting probe claims again within 25 s; one that is silent for longer gets no share. */
const GONE_MS = 40_000
/** How often a waiting request looks for due checks. */
const POLL_EVERY_MS = 1_000
/** The probe itself knows its limit of open files. */
const ANY_FILES = 1_000_000

/**
 * Claims checks of the probe's region that are due within the next seconds; waits for some as long as requested, or until
 * `signal` aborts. Throws unauthorized when the token is replaced meanwhile.
 */
export async function claimForProbe(
  deps: ProbeDeps,
  { region, regionId, hash }: ProbePrincipal,
  { worker_id: id, wait_seconds: waitSeconds = 0, limit = MAX_PROBE_BATCH, control_targets: controlTargets = [] }: ClaimsBody,
  signal: AbortSignal,
): Promise<ClaimsAnswer> {
  const { pool, clock, now } = deps
  const { db } = pool
  const untilMs = now() + waitSeconds * 1_000
  const announcedAtMs = Math.round(now())
  const share = await recordHeartbeat(db, { region, id, controlTargets }, announcedAtMs, announcedAtMs - GONE_MS)
  const claimRequest = { region, aheadMs: AHEAD_MS, nearMs: NEAR_MS, leaseMs: LEASE_MS, includesTimeout: true, share, limit }
  for (;;) {
    const nowMs = Math.round(now())
    const rows = await claimChecks(db, { ...claimRequest, nowMs })
    // Verified after each claim, whose definitions contain secrets: the token may have been replaced since the last look.
    const isRefused = !(await findProbe(db, hash))
    if ((signal.aborted || isRefused) && rows.length > 0) await releaseClaims(db, region, rows)
    if (isRefused) throw unauthorized()
    if (rows.length > 0 || signal.aborted || nowMs + POLL_EVERY_MS > untilMs) {
      const load = (await deps.loads(region)) / share.count
      return { ...(await toAnswer(deps, rows)), region: regionId, in_flight: Math.ceil(concurrencyLimit(load, ANY_FILES)) }
    }
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

async function toAnswer(
  { pool, now, encrypter }: ProbeDeps,
  rows: readonly ClaimRow[],
): Promise<Pick<ClaimsAnswer, 'checks' | 'server_time'>> {
  const nowMs = Math.round(now())
  const checks: ClaimedCheck[] = []
  const unreadable: CompletedCheck[] = []
  for (const row of rows) {
    const { definition, fault } = decryptDefinition(row, encrypter)
    if (!definition) {
      unreadable.push(completedCheckOf(row, inconclusiveResult(fault, toTimestamp(nowMs)), nowMs))
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

const completedCheckOf = (
  { organization, monitor, region, fence }: Pick<ClaimRow, 'organization' | 'monitor' | 'region' | 'fence'>,
  result: CheckResult,
  endedAtMs: number,
): CompletedCheck => ({ organization, monitor, region, fence, result, endedAtMs })

/** Accepted difference of clocks. */
const FUTURE_MS = 300_000
const OLDEST_MS = LATE_RESULTS_DAYS * DAY_MS

/**
 * Stores submitted results and resolves after the commit. A result that was stored before, because a response was lost, counts as
 * accepted and changes nothing.
 */
export async function storeResults(
  { pool, now, encrypter, certificates, log }: ProbeDeps,
  { region }: ProbePrincipal,
  results: readonly ProbeResult[],
): Promise<ProbeResultsAnswer> {
  const nowMs = Math.round(now())
  const observed = results.flatMap((result) => toCompletedCheck(region, result, nowMs) ?? [])
  const taken = new Set(await recordChecks(pool, observed, nowMs))
  const left = observed.filter((_, index) => !taken.has(index))
  const stored = observed.filter((_, index) => taken.has(index))
  const seen = seenCertificates(stored)
  // The checks are stored: the probe reports a chain again within ten minutes.
  await certificates
    .record(pool.db, seen)
    .catch((error: unknown) => log.warn({ err: error }, 'certificates that a probe saw could not be stored'))
  await storeResponses(pool.db, encrypter, stored).catch((error: unknown) =>
    log.warn({ err: error }, 'responses of failed checks that a probe sent could not be stored'),
  )
  const repeated = left.length === 0 ? 0 : (await findStoredChecks(pool.db, left)).length
  const accepted = taken.size + repeated
  return { accepted, refused: results.length - accepted }
}

/** Undefined for impossible times. The region is the token's, whatever the claim contains. */
function toCompletedCheck(
  region: number,
  { claim, ended_at: endedAt, ...seen }: ProbeResult,
  nowMs: number,
): CompletedCheck | undefined {
  const [organization = 0, monitor = 0, fence = 0] = claim.split('.').map(Number)
  const checkedAtMs = parseInstant(seen.checked_at)
  const endedAtMs = parseInstant(endedAt)
  if (checkedAtMs === undefined || endedAtMs === undefined || !isStorable(organization, monitor, fence)) return undefined
  if (checkedAtMs > nowMs + FUTURE_MS || checkedAtMs < nowMs - OLDEST_MS || endedAtMs > nowMs + FUTURE_MS) return undefined
  const result: CheckResult = { ...seen, checked_at: toTimestamp(checkedAtMs) }
  const certificate = seen.certificate && hasInstants(seen.certificate) ? seen.certificate : null
  // Repeats are scheduled from the end: one in the future would be late, one before the begin too early.
  const ended = Math.min(Math.max(endedAtMs, checkedAtMs), nowMs)
  return completedCheckOf({ organization, monitor, region, fence }, { ...result, certificate }, ended)
}

const hasInstants = ({ expires_at: end, chain = [] }: NonNullable<CheckResult['certificate']>): boolean =>
  [end, ...chain.flatMap((one) => [one.not_before, one.not_after])].every((text) => parseInstant(text) !== undefined)

const MAX_INTEGER = 2_147_483_647
const isStorable = (organization: number, monitor: number, fence: number): boolean =>
  organization <= MAX_INTEGER && monitor <= MAX_INTEGER && fence <= Number.MAX_SAFE_INTEGER
