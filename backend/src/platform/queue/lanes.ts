import type { Log } from '../logging/log.ts'
import { drainQueue, type Queue, type QueueDeps } from './queue.ts'
import { findDueLanes, type Job, type Lane } from './queue-store.ts'

export interface Lanes {
  /** Starts to process every lane with something due; resolves when those are known. */
  wake(): Promise<void>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** Lanes at once: one that hangs waits, and costs a connection. */
const MAX_LANES = 256

/** Processes each lane of a queue on its own: one whose jobs hang delays no other. */
export function createLanes<Payload>(
  deps: QueueDeps & { log: Log },
  queue: Queue<Payload>,
  process: (job: Job<Payload>) => Promise<unknown>,
): Lanes {
  const { db, clock, log, ending } = deps
  const running = new Map<string, Promise<void>>()

  function start(lane: Lane): void {
    const name = `${lane.organization} ${lane.lane}`
    if (running.has(name) || running.size >= MAX_LANES) return
    const run = drainQueue(deps, queue, process, { lane })
      .catch((error: unknown) =>
        log.error({ err: error, queue: queue.table }, 'A queue stopped after an error and goes on with the next run'),
      )
      .finally(() => running.delete(name))
    running.set(name, run)
  }

  return {
    wake: async () => {
      if (ending.aborted) return
      for (const lane of await findDueLanes(db, queue.table, new Date(clock.now()), queue.isOrdered)) start(lane)
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
