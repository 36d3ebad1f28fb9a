import { truncateText } from '@vedette/shared'
import { after } from '../../../platform/time/monotonic.ts'

export interface HostSlot {
  leave(): void
}

export interface HostSlots {
  /**
   * Calls `given` with a slot of this host, at once or when one is free, or with a fault after `patienceSeconds`. Returns a
   * function that cancels the wait, which also calls `given` with a fault.
   */
  take(host: string, patienceSeconds: number, given: (slot: HostSlot | { fault: string }) => void): () => void
}

interface Waiting {
  enter(): void
}

/** Limits checks per host, first come, first served. */
export function createHostSlots(perHost: number): HostSlots {
  const taken = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()

  function leave(host: string): void {
    const queue = queues.get(host)
    const next = queue?.values().next().value
    if (queue && next) {
      queue.delete(next)
      if (queue.size === 0) queues.delete(host)
      // The slot passes to the next check.
      return next.enter()
    }
    const count = (taken.get(host) ?? 1) - 1
    if (count === 0) taken.delete(host)
    else taken.set(host, count)
  }

  function slotAt(host: string): HostSlot {
    let isLeft = false
    return {
      leave() {
        if (isLeft) return
        isLeft = true
        leave(host)
      },
    }
  }

  return {
    take(host, patienceSeconds, given) {
      const count = taken.get(host) ?? 0
      if (count < perHost) {
        taken.set(host, count + 1)
        given(slotAt(host))
        return () => {}
      }
      const queue = queues.get(host) ?? new Set<Waiting>()
      queues.set(host, queue)
      const giveUp = (fault: string) => {
        if (!queue.delete(waiting)) return
        alarm.cancel()
        if (queue.size === 0 && queues.get(host) === queue) queues.delete(host)
        given({ fault })
      }
      const waiting: Waiting = {
        enter() {
          alarm.cancel()
          given(slotAt(host))
        },
      }
      queue.add(waiting)
      const overloaded = `the probe has too many checks running at ${truncateText(host, 200)}`
      const alarm = after(patienceSeconds * 1_000, () => giveUp(overloaded), { isKeptAlive: true })
      return () => giveUp('the check was canceled')
    },
  }
}
