import type { Clock } from '../../src/platform/time/clock.ts'
import type { World } from './world.ts'

/** A task that one process at a time may do, under a lease. */
export interface LeasedTask {
  run(owner: string, clock: Clock): Promise<void>
  /** From now on no statement waits: who does the task has extended its lease. */
  beQuiet(): void
}

/** Half as long again as the lease lasts, in parts. */
const PARTS_MS = [2_000, 2_000, 2_000]

export function createLeasedTask(world: World): LeasedTask {
  const inside = new Set<string>()
  let isQuiet = false
  return {
    run: async (owner, clock) => {
      if (isQuiet && inside.size > 0)
        world.failures.push(new Error(`a lease is in two hands: of ${[...inside, owner].join(' and ')}`))
      if (isQuiet) inside.add(owner)
      for (const ms of PARTS_MS) await clock.sleep(ms)
      inside.delete(owner)
    },
    beQuiet: () => (isQuiet = true),
  }
}
