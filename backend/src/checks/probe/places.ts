import { after } from '../../platform/monotonic.ts'

export interface Place {
  leave(): void
}

export interface Places {
  /**
   * Gives a place at this host, at once or when one is left; or says why there is none. What comes back calls off the waiting,
   * which is then answered with a fault too.
   */
  take(host: string, patienceSeconds: number, given: (place: Place | { fault: string }) => void): () => void
}

interface Waiting {
  enter(): void
}

/** A bounded number of places for each host, first come, first served. */
export function createPlaces(perHost: number): Places {
  const taken = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()

  function leave(host: string): void {
    const queue = queues.get(host)
    const next = queue?.values().next().value
    if (queue && next) {
      queue.delete(next)
      if (queue.size === 0) queues.delete(host)
      // The place goes on to the next one.
      return next.enter()
    }
    const count = (taken.get(host) ?? 1) - 1
    if (count === 0) taken.delete(host)
    else taken.set(host, count)
  }

  function placeAt(host: string): Place {
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
        given(placeAt(host))
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
          given(placeAt(host))
        },
      }
      queue.add(waiting)
      const overloaded = `the checker has too many checks under way at ${host.slice(0, 200)}`
      const alarm = after(patienceSeconds * 1_000, () => giveUp(overloaded), { isKeptAlive: true })
      return () => giveUp('the check was called off')
    },
  }
}
