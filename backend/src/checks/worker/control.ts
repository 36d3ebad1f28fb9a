import type { Clock } from '../../platform/time/clock.ts'

/** Distinguishes a failure of our own network from a failure of the target. */
export interface Control {
  hasTargets: boolean
  /** Whether no control target can be reached, tested after this call. Never throws. */
  isNetworkDown(): Promise<boolean>
}

/** At most one test in this time: many monitors that fail together share it. */
const EVERY_MS = 5_000
const LIMIT_MS = 2_000

/** Resolves when a connection to `host:port` opens; rejects otherwise. */
export type ConnectTo = (target: string, signal: AbortSignal) => Promise<void>

/**
 * A test decides about checks that failed before it began, never about later ones, because the network may fail at any moment.
 * Checks that fail within five seconds after a test wait for the next one.
 */
export function createControl(targets: readonly string[], clock: Clock, reach: ConnectTo): Control {
  let coming: Promise<boolean> | undefined
  let beganAtMs = Number.NEGATIVE_INFINITY

  async function probeTargets(): Promise<boolean> {
    const waitMs = beganAtMs + EVERY_MS - clock.now()
    if (waitMs > 0) await clock.sleep(waitMs)
    coming = undefined
    beganAtMs = clock.now()
    const ending = new AbortController()
    const limit = clock.sleep(LIMIT_MS, ending.signal).then(() => true)
    const reached = Promise.any(targets.map((target) => reach(target, ending.signal))).then(
      () => false,
      () => true,
    )
    const isGone = await Promise.race([reached, limit])
    ending.abort()
    return isGone
  }

  return {
    hasTargets: targets.length > 0,
    isNetworkDown: () => {
      if (targets.length === 0) return Promise.resolve(false)
      // Set before the test begins, so that calls of the same moment share it.
      coming ??= Promise.resolve().then(probeTargets)
      return coming
    },
  }
}
