import type { Clock } from '../clock.ts'

export type LimitGroup = 'auth' | 'read' | 'write' | 'agent' | 'probe'

/** Requests a minute of one credential, by group. */
export type Limits = Readonly<Record<LimitGroup, number>>

/** What the three headers of every response say, and what became of the request. */
export interface LimitState {
  limit: number
  /** Never negative; on one instance it never rises inside a window. */
  remaining: number
  /** Unix time in whole seconds at which the window ends. */
  resetAtSeconds: number
  /** `unknown`: the database is away, and without it nothing of this group is let in. */
  verdict: 'admitted' | 'refused' | 'unknown'
}

/** Windows are the minutes of one clock, which all instances share. */
export interface RateLimiter {
  /** Counts one request of this credential (or address) in its group's window. A value where nobody has to be asked. */
  take(key: string, group: LimitGroup): LimitState | Promise<LimitState>
  /** Counts a request that was refused already; the other instances hear of it with the next that is taken. */
  note(key: string, group: LimitGroup): LimitState
  /** The same without counting: for responses that are shown a limit and not held to it. */
  peek(key: string, group: LimitGroup): LimitState
  /** The clock of the windows, ms. */
  now(): number
}

export const WINDOW_MS = 60_000

/** Limits that are shown and never reached. */
export function createUnlimited(limits: Limits, clock: Pick<Clock, 'now'>): RateLimiter {
  const show = (_key: string, group: LimitGroup): LimitState => ({
    limit: limits[group],
    remaining: limits[group],
    resetAtSeconds: ((Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS) / 1000,
    verdict: 'admitted',
  })
  return { take: show, note: show, peek: show, now: () => clock.now() }
}

/** The group whose limit holds for a request. Follows from method and path alone. */
export function limitGroup(method: string, path: string): LimitGroup {
  if (path.startsWith('/v1/agent/')) return 'agent'
  if (path.startsWith('/v1/auth/')) return 'auth'
  if (path.startsWith('/v1/probe/')) return 'probe'
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write'
}

/** Names a client's address for its limits: one host is not two, because a socket shows IPv4 in IPv6 clothes. */
export function limitKeyOfAddress(address: string | undefined): string {
  if (address === undefined) return 'ip:unknown'
  return `ip:${address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address}`
}

export function limitHeaders(state: LimitState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetAtSeconds),
  }
}
