import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { repeatWhenDue } from '../../../platform/concurrency/background-job.ts'
import type { Changes } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../../../platform/logging/log.ts'

/** Which private addresses checks may connect to. */
export type TargetPolicy = 'all' | readonly string[]

/** Parses `all`, or CIDRs separated by commas. */
export const parseTargetPolicy = (given: string): TargetPolicy => {
  if (given === 'all') return given
  return given === 'none' ? [] : given.split(',').map((range) => range.trim())
}

/** Runs checks in its own thread. */
export interface PolicyProber {
  check(definition: CheckDefinition, startAtMs?: number): Promise<CheckResult>
  readonly inFlight: number
  close(): Promise<void>
}

export interface PolicyProberDeps {
  clock: Clock
  log: Log
  changes: Pick<Changes, 'on' | 'isHeard'>
  readPolicy(): Promise<TargetPolicy>
  start(policy: TargetPolicy): PolicyProber
}

/** A changed policy applies on every instance after this time, at once where it is announced. */
const [POLL_EVERY_MS, ANNOUNCED_EVERY_MS] = [5_000, 60_000]
/** The maximum duration of a check, with redirects and the wait for its host. */
const MAX_CHECK_MS = 150_000

/**
 * A prober that follows changes of the target policy: the set-up page sets it while checks already run. Running checks end under
 * the policy that they began with.
 */
export async function startPolicyProber({ clock, log, changes, readPolicy, start }: PolicyProberDeps): Promise<PolicyProber> {
  let policy = await readPolicy()
  let current = start(policy)
  const closing = new AbortController()

  async function retire(old: PolicyProber): Promise<void> {
    const untilMs = clock.now() + MAX_CHECK_MS
    while (old.inFlight > 0 && clock.now() < untilMs && !closing.signal.aborted) await clock.sleep(POLL_EVERY_MS, closing.signal)
    await old.close()
  }

  async function follow(): Promise<void> {
    const next = await readPolicy()
    if (String(next) === String(policy)) return
    policy = next
    const old = current
    current = start(next)
    log.info({ open: next }, 'the policy of private targets changed')
    void retire(old)
  }
  const job = repeatWhenDue('policy of targets', clock, log, async () => {
    await follow()
    return changes.isHeard() ? ANNOUNCED_EVERY_MS : POLL_EVERY_MS
  })
  changes.on('setting', job.wake)

  return {
    check: (definition, startAtMs) => current.check(definition, startAtMs),
    get inFlight() {
      return current.inFlight
    },
    close: async () => {
      closing.abort()
      await job.stop()
      await current.close()
    },
  }
}
