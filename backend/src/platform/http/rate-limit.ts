import type { Clock } from '../clock.ts'

export type LimitGroup = 'auth' | 'read' | 'write' | 'agent'

/** What the three headers of every response say. */
export interface LimitState {
  limit: number
  remaining: number
  /** Unix time in whole seconds at which the window ends. */
  resetAtSeconds: number
  allowed: boolean
}

export interface RateLimiter {
  /** Counts one request of this credential (or address) in its group's window. */
  take(key: string, group: LimitGroup): LimitState
  /** The same without counting: for responses that are shown a limit and not held to it. */
  peek(key: string, group: LimitGroup): LimitState
  /** The clock of the windows, ms. */
  now(): number
}

const WINDOW_MS = 60_000

/** Fixed windows of a clock minute, counted in this process. Memory is bounded by the credentials seen in one minute. */
export function createRateLimiter(limits: Readonly<Record<LimitGroup, number>>, isCounting: boolean, clock: Clock): RateLimiter {
  let window = 0
  let counts = new Map<string, number>()

  function state(key: string, group: LimitGroup, count: boolean): LimitState {
    const current = Math.floor(clock.now() / WINDOW_MS)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const name = `${group} ${key}`
    const used = (counts.get(name) ?? 0) + (count ? 1 : 0)
    const limit = limits[group]
    // Refused requests are not counted up: the number stays at the limit and cannot grow without bound.
    if (count) counts.set(name, Math.min(used, limit))
    return {
      limit,
      remaining: isCounting ? Math.max(0, limit - used) : limit,
      resetAtSeconds: ((window + 1) * WINDOW_MS) / 1000,
      allowed: !isCounting || used <= limit,
    }
  }

  return {
    take: (key, group) => state(key, group, isCounting),
    peek: (key, group) => state(key, group, false),
    now: () => clock.now(),
  }
}

/** The group whose limit holds for a request. Follows from method and path alone. */
export function limitGroup(method: string, path: string): LimitGroup {
  if (path.startsWith('/v1/agent/')) return 'agent'
  if (path.startsWith('/v1/auth/')) return 'auth'
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write'
}

export function limitHeaders(state: LimitState): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(state.resetAtSeconds),
  }
}
