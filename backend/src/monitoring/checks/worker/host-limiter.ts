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
      const slots = hosts.get(host) ?? { inside: 0, waiting: [] }
      hosts.set(host, slots)
      if (slots.inside >= limit) {
        slots.waiting.push(go)
        return
      }
      slots.inside += 1
      go()
    },
    release: (host) => {
      const slots = hosts.get(host)
      if (!slots) return
      const next = slots.waiting.shift()
      if (next) return next()
      slots.inside -= 1
      if (slots.inside === 0) hosts.delete(host)
    },
  }
}
