import type { ControlTarget } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'

/** Distinguishes a failure of our own network from a failure of the target. */
export interface Control {
  /** The targets that count: those of the setting, and found ones that answered once. */
  targets(): ControlTarget[]
  /** Whether no control target can be reached, tested after this call. Never throws. */
  isNetworkDown(): Promise<boolean>
  /** Tests the targets, so that found ones that answer count from now on. Never throws. */
  prove(): Promise<void>
}

/** How often found targets are tested while no check fails. */
export const PROVE_EVERY_MS = 600_000
/** At most one test in this time: many monitors that fail together share it. */
const EVERY_MS = 5_000
const LIMIT_MS = 2_000

/** What a test of a target shows. `unreachable`: this machine has no way to it.*/
export type Reach = 'reached' | 'silent' | 'unreachable'

export interface ControlDeps {
  clock: Clock
  /** The present targets, which change with the network. */
  find(): ControlTarget[]
  /** Resolves within LIMIT_MS after `signal` at the latest. */
  reach(target: ControlTarget, signal: AbortSignal): Promise<Reach>
}

const keyOf = ({ type, address }: ControlTarget): string => `${type} ${address}`

/**
 * A test decides about checks that failed before it began, never about later ones, because the network may fail at any moment.
 * Checks that fail within five seconds after a test wait for the next one.
 *
 * A gateway that never answers says nothing when it is silent, so a found target counts only once it answered. Targets that this
 * machine has no way to count always. While the network is away the system may name no targets: then the last ones are tested.
 */
export function createControl({ clock, find, reach }: ControlDeps): Control {
  let known: ControlTarget[] = []
  const proven = new Set<string>()
  let coming: Promise<boolean> | undefined
  let beganAtMs = Number.NEGATIVE_INFINITY

  function current(): ControlTarget[] {
    const found = find()
    if (found.length > 0) known = found
    for (const target of known) if (target.type === 'setting') proven.add(keyOf(target))
    return known
  }

  async function test(): Promise<boolean> {
    const targets = current()
    const ending = new AbortController()
    const limit = clock.sleep(LIMIT_MS, ending.signal)
    const seen = targets.map((): Reach => 'silent')
    const tests = targets.map(async (target, index) => {
      seen[index] = await reach(target, ending.signal).catch((): Reach => 'silent')
      if (seen[index] !== 'reached') throw new Error('not reached')
      proven.add(keyOf(target))
    })
    const isReached = await Promise.race([Promise.any(tests).then(() => true), limit.then(() => false)]).catch(() => false)
    ending.abort()
    if (isReached || targets.length === 0) return false
    return seen.every((each) => each === 'unreachable') || targets.some((target) => proven.has(keyOf(target)))
  }

  async function testSoon(): Promise<boolean> {
    const waitMs = beganAtMs + EVERY_MS - clock.now()
    if (waitMs > 0) await clock.sleep(waitMs)
    coming = undefined
    beganAtMs = clock.now()
    return test()
  }

  return {
    targets: () => current().filter((target) => proven.has(keyOf(target))),
    isNetworkDown: () => {
      // Set before the test begins, so that calls of the same moment share it.
      coming ??= Promise.resolve().then(testSoon)
      return coming
    },
    prove: async () => void (await test()),
  }
}
