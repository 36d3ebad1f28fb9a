import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckResult, type ClaimedCheck, type ProbeResult, toTimestamp } from '@vedette/shared'
import {
  type ControlSetting,
  concurrencyLimit,
  createControl,
  createRunner,
  findControlTargets,
  PROVE_EVERY_MS,
  reachControlTarget,
  type PlannedCheck,
  type PolicyProber,
} from '../../checks/index.ts'
import { createChainFilter } from '../../certificates/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { takeOwnerLock } from '../../../platform/db/postgres/index.ts'
import { newRandomId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { monotonicUs } from '../../../platform/time/monotonic.ts'
import { openFilesLimit } from '../../../platform/system/open-files.ts'
import { writePrivateFile } from '../../../platform/system/private-file.ts'
import { repeat } from '../../../platform/concurrency/background-job.ts'
import { startClaimer } from './claimer.ts'
import { createBackendClient } from './client.ts'
import { createContact } from './contact.ts'
import { startSender } from './sender.ts'
import { openSpool } from './spool.ts'

export interface ProbeOptions {
  region: string
  /** URL of the backend. */
  url: string
  tokenFile: string
  readToken(): string
  /** Folder of the results that the backend has not yet stored. */
  folder: string
  controlTargets: ControlSetting
  prober: PolicyProber
  clock: Clock
  log: Log
  announce(line: string): void
}

/** Times of checks are corrected when this machine's clock differs from the backend's by more. */
const SKEW_MS = 1_000
const SWEEP_EVERY_MS = 1_000
/** The image's health check wants a claim that was answered within two minutes; a waiting claim is answered within 25 s. */
const RECORD_CONTACT_EVERY_MS = 10_000
/** Time for running checks at the end: with a second for the last results this is within the promised three. */
const STOP_PATIENCE_MS = 1_000

/**
 * Runs the checks of a region for a remote backend. The backend claims them a few seconds ahead, and its fences decide which
 * results count: a monitor that is paused may be checked for three more seconds without effect.
 */
export async function startProbe(options: ProbeOptions): Promise<{ stop(): Promise<void> }> {
  const { region, url, tokenFile, clock, log, announce, prober } = options
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const lock = await takeOwnerLock(join(options.folder, 'probe.owner'), 'The probe of this data folder')
  const spool = await openSpool(join(options.folder, 'results.spool'))
  if (spool.waiting > 0) announce(`results    ${spool.waiting} kept from before`)
  const client = createBackendClient(url, options.readToken)
  const contact = createContact(url, tokenFile, announce)
  const sender = startSender({ spool, client, contact, clock, log })
  const server = createServerClock()
  const writer = createWriter(spool, log, () => sender.wake())
  const openFiles = openFilesLimit()
  const withoutSameChain = createChainFilter()

  const control = createControl({ clock, find: () => findControlTargets(options.controlTargets), reach: reachControlTarget })
  const runner = createRunner<ProbePlan>({
    clock,
    now: server.now,
    log,
    prober,
    control,
    complete: (plan, result, endedAtMs) => {
      writer.write(toResult(plan, withoutSameChain(plan.key, result), endedAtMs, clock.now() - server.now()))
      runner.release(plan.key, plan.fence)
    },
  })
  let recordedAtMs = Number.NEGATIVE_INFINITY
  const recordContact = () => {
    if (clock.now() - recordedAtMs < RECORD_CONTACT_EVERY_MS) return
    recordedAtMs = clock.now()
    try {
      writePrivateFile(join(options.folder, 'answered'), `${toTimestamp(clock.now())}\n`)
    } catch (error) {
      log.error({ err: error }, 'the time of the last answer of the backend could not be written')
    }
  }
  const claimer = startClaimer({
    workerId: newRandomId(),
    controlTargets: control.targets,
    client,
    contact,
    sender,
    clock,
    take: (answer) => {
      if (answer.region !== region)
        return log.error({ given: region, token: answer.region }, 'the token belongs to another region; no checks run')
      recordContact()
      server.set(Date.parse(answer.server_time))
      runner.setConcurrency(Math.min(answer.in_flight, concurrencyLimit(Number.POSITIVE_INFINITY, openFiles)))
      runner.add(answer.checks.map((check) => toPlan(check, Date.parse(answer.server_time))))
    },
  })
  const proving = repeat('control targets', PROVE_EVERY_MS, clock, log, () => control.prove())
  const sweeping = repeat('waiting checks', SWEEP_EVERY_MS, clock, log, async () => runner.skipOverdue())
  announce(`ready probe ${region}`)
  return {
    stop: async () => {
      await Promise.all([claimer.stop(), sweeping.stop(), proving.stop()])
      runner.close()
      const untilMs = clock.now() + STOP_PATIENCE_MS
      while (runner.stats().inFlight > 0 && clock.now() < untilMs) await clock.sleep(20)
      await writer.written()
      await sender.stop()
      await spool.close()
      await prober.close()
      await lock.release()
    },
  }
}

interface ProbePlan extends PlannedCheck {
  claim: string
}

function toPlan({ claim, definition, ...times }: ClaimedCheck, serverTimeMs: number): ProbePlan {
  const fence = Number(claim.slice(claim.lastIndexOf('.') + 1))
  return {
    key: claim.slice(0, claim.lastIndexOf('.')),
    claim,
    fence,
    dueAtMs: serverTimeMs + times.due_in_ms,
    nextDueMs: serverTimeMs + times.next_due_in_ms,
    leaseUntilMs: serverTimeMs + times.lease_ms,
    definition,
  }
}

function toResult({ claim }: ProbePlan, result: CheckResult, endedAtMs: number, aheadMs: number): ProbeResult {
  const checkedAtMs = Date.parse(result.checked_at) - (Math.abs(aheadMs) > SKEW_MS ? aheadMs : 0)
  return { ...result, claim, checked_at: toTimestamp(Math.round(checkedAtMs)), ended_at: toTimestamp(Math.round(endedAtMs)) }
}

/** The backend's clock, based on this machine's monotonic clock; behind by some milliseconds of network delay. */
function createServerClock(): { now(): number; set(ms: number): void } {
  const own = () => monotonicUs() / 1_000
  let offsetMs = 0
  return {
    now: () => own() + offsetMs,
    set: (ms) => {
      offsetMs = ms - own()
    },
  }
}

/** Results that arrive during a write are written together: a sync for each would be too slow. */
function createWriter(
  spool: { append(results: readonly ProbeResult[]): Promise<void> },
  log: Log,
  onWritten: () => void,
): { write(result: ProbeResult): void; written(): Promise<void> } {
  let queue: ProbeResult[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const results = queue
      queue = []
      // On a full disk they are lost; later results may fit again.
      await spool
        .append(results)
        .catch((error: unknown) => log.error({ err: error, results: results.length }, 'results could not be written to disk'))
      onWritten()
    }
    running = undefined
  }

  return {
    write: (result) => {
      queue.push(result)
      running ??= run()
    },
    written: async () => {
      await running
    },
  }
}
