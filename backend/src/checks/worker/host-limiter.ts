/** Checks in flight per host over all monitors; more would look like an attack. */
const HOST_LIMIT = 64

/** Limits concurrent checks per host. Waiting checks keep their order and do not delay checks of other hosts. */
export interface HostLimiter {
  /** Calls `go` now or when there is room; call `release` at its end. */
  acquire(host: string, go: () => void): void
  release(host: string): void
}

export function createHostLimiter(limit: number = HOST_LIMIT): HostLimiter {
  const hosts = new Map<string, { inside: number; waiting: (() => void)[] }>()
  return {
    acquire: (host, go) => {
      const known = hosts.get(host) ?? { inside: 0, waiting: [] }
      hosts.set(host, known)
      if (known.inside >= limit) {
        known.waiting.push(go)
        return
      }
      known.inside += 1
      go()
    },
    release: (host) => {
      const known = hosts.get(host)
      if (!known) return
      const next = known.waiting.shift()
      if (next) return next()
      known.inside -= 1
      if (known.inside === 0) hosts.delete(host)
    },
  }
}
