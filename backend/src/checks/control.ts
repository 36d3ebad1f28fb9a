import type { Clock } from '../platform/clock.ts'

/** Tells our own network's fault from a target's. */
export interface Control {
  hasTargets: boolean
  /** Whether no control target can be reached, judged after this was asked. Never throws. */
  isNetworkGone(): Promise<boolean>
}

/** Judged at most so often: a hundred failing monitors are one question. */
const EVERY_MS = 5_000
const LIMIT_MS = 2_000

/** Whether a connection to `host:port` comes about. Throws where it does not. */
export type Reach = (target: string, signal: AbortSignal) => Promise<void>

/**
 * A verdict counts for the checks that failed before it began, never for later ones: the network may go at any moment. Checks that
 * fail within five seconds of one wait for the next.
 */
export function createControl(targets: readonly string[], clock: Clock, reach: Reach): Control {
  let coming: Promise<boolean> | undefined
  let beganAtMs = Number.NEGATIVE_INFINITY

  async function judge(): Promise<boolean> {
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
    isNetworkGone: () => {
      if (targets.length === 0) return Promise.resolve(false)
      // Set before it begins, so that whoever asks in the same moment shares it.
      coming ??= Promise.resolve().then(judge)
      return coming
    },
  }
}
