import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckResult, type ClaimedCheck, type ProbeResult, toTimestamp } from '@vedette/shared'
import { boundOf, createControl, createRunner, type Plan, type ProberLike } from '../../checks/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { takeOwnerLock } from '../../platform/db/postgres/index.ts'
import { newRandomId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { monotonicUs } from '../../platform/monotonic.ts'
import { openFilesLimit } from '../../platform/open-files.ts'
import { reach } from '../../platform/reach.ts'
import { repeat } from '../../platform/background.ts'
import { startClaimer } from './claimer.ts'
import { createClient } from './client.ts'
import { createContact } from './contact.ts'
import { startSender } from './sender.ts'
import { openSpool } from './spool.ts'

export interface ProbeOptions {
  region: string
  /** Of the backend. */
  url: string
  tokenFile: string
  readToken(): string
  /** Where results are kept until the backend has them. */
  folder: string
  controlTargets: readonly string[]
  prober: ProberLike
  clock: Clock
  log: Log
  announce(line: string): void
}

/** A clock that is further from the backend's than this is corrected in what is told of checks. */
const SKEW_MS = 1_000
const SWEEP_EVERY_MS = 1_000
/** What is under way at the end may take so long: a second for it, and one for the last results, within the three that are promised. */
const STOP_PATIENCE_MS = 1_000

/**
 * Makes the checks of a region for a backend elsewhere. The backend claims for us, a few seconds ahead, and decides by its fences
 * what counts; so a monitor that is paused may be checked for up to three seconds more, and what comes of it counts for nothing.
 */
export async function startProbe(options: ProbeOptions): Promise<{ stop(): Promise<void> }> {
  const { region, url, tokenFile, clock, log, announce, prober } = options
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const lock = await takeOwnerLock(join(options.folder, 'probe.owner'), 'The probe of this data folder')
  const spool = await openSpool(join(options.folder, 'results.spool'))
  if (spool.waiting > 0) announce(`results    ${spool.waiting} kept from before`)
  const client = createClient(url, options.readToken, clock)
  const contact = createContact(url, tokenFile, announce)
  const sender = startSender({ spool, client, contact, clock, log })
  const server = createServerClock()
  const writer = createWriter(spool, log, () => sender.wake())
  const openFiles = openFilesLimit()

  const runner = createRunner<ProbePlan>({
    clock,
    now: server.now,
    log,
    prober,
    control: createControl(options.controlTargets, clock, reach),
    take: (plan, result, endedAtMs) => {
      writer.write(toResult(plan, result, endedAtMs, clock.now() - server.now()))
      runner.settled(plan.key, plan.fence)
    },
  })
  const claimer = startClaimer({
    workerId: newRandomId(),
    client,
    contact,
    sender,
    clock,
    take: (answer) => {
      if (answer.region !== region)
        return log.error({ given: region, token: answer.region }, 'the token is that of another region; nothing is checked')
      server.set(Date.parse(answer.server_time))
      runner.setBound(Math.min(answer.in_flight, boundOf(Number.POSITIVE_INFINITY, openFiles)))
      runner.add(answer.checks.map((check) => toPlan(check, Date.parse(answer.server_time))))
    },
  })
  const sweeping = repeat('waiting checks', SWEEP_EVERY_MS, clock, log, async () => runner.sweep())
  announce(`ready probe ${region}`)
  return {
    stop: async () => {
      await Promise.all([claimer.stop(), sweeping.stop()])
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

interface ProbePlan extends Plan {
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

/** The backend's clock, by our monotonic one: behind it by the way of the answer, some milliseconds, and by nothing that is set here. */
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

/** Writes what comes while a write is under way with the next one: a sync each would take the disk's time for every check. */
function createWriter(
  spool: { keep(results: readonly ProbeResult[]): Promise<void> },
  log: Log,
  kept: () => void,
): { write(result: ProbeResult): void; written(): Promise<void> } {
  let queue: ProbeResult[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const results = queue
      queue = []
      // Without room on the disk they are lost; the next ones may find some again.
      await spool
        .keep(results)
        .catch((error: unknown) => log.error({ err: error, results: results.length }, 'results could not be kept'))
      kept()
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
