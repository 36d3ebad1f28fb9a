/** So many checks at once are for one host, over all monitors: more would be an attack on it. */
const HOST_LIMIT = 64

/** Lets so many in per host; the others wait in their order, and hold up nobody who goes elsewhere. */
export interface HostGate {
  /** Calls `go` now or when there is room; whoever was let in calls `leave`. */
  enter(host: string, go: () => void): void
  leave(host: string): void
}

export function createHostGate(limit: number = HOST_LIMIT): HostGate {
  const hosts = new Map<string, { inside: number; waiting: (() => void)[] }>()
  return {
    enter: (host, go) => {
      const known = hosts.get(host) ?? { inside: 0, waiting: [] }
      hosts.set(host, known)
      if (known.inside >= limit) {
        known.waiting.push(go)
        return
      }
      known.inside += 1
      go()
    },
    leave: (host) => {
      const known = hosts.get(host)
      if (!known) return
      const next = known.waiting.shift()
      if (next) return next()
      known.inside -= 1
      if (known.inside === 0) hosts.delete(host)
    },
  }
}
