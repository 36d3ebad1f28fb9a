import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { repeat } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'

/** Which private addresses checks may reach. */
export type TargetPolicy = 'all' | readonly string[]

/** `all`, or CIDRs separated by commas. */
export const policyOf = (given: string): TargetPolicy => (given === 'all' ? 'all' : given.split(',').map((range) => range.trim()))

/** What makes the checks: a thread of its own. */
export interface ProberLike {
  check(definition: CheckDefinition, startAtMs?: number): Promise<CheckResult>
  readonly inFlight: number
  close(): Promise<void>
}

export interface PolicyProberDeps {
  clock: Clock
  log: Log
  readPolicy(): Promise<TargetPolicy>
  start(policy: TargetPolicy): ProberLike
}

/** How soon a policy that was changed in the database holds on every instance. */
const LOOK_EVERY_MS = 5_000
/** No check takes longer, redirects and a place at its host included. */
const LAST_CHECKS_MS = 150_000

/**
 * A prober that follows the policy of targets: the page that sets the installation up asks for it when checks are made already.
 * Checks that are under way end by the policy they were begun with.
 */
export async function startPolicyProber({ clock, log, readPolicy, start }: PolicyProberDeps): Promise<ProberLike> {
  let policy = await readPolicy()
  let current = start(policy)
  const closing = new AbortController()

  async function retire(old: ProberLike): Promise<void> {
    const untilMs = clock.now() + LAST_CHECKS_MS
    while (old.inFlight > 0 && clock.now() < untilMs && !closing.signal.aborted) await clock.sleep(LOOK_EVERY_MS, closing.signal)
    await old.close()
  }

  const job = repeat('policy of targets', LOOK_EVERY_MS, clock, log, async () => {
    const next = await readPolicy()
    if (String(next) === String(policy)) return
    policy = next
    const old = current
    current = start(next)
    log.info({ open: next }, 'checks follow another policy of targets')
    void retire(old)
  })

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
