import { networkOf } from '../network.ts'
import type { Clock } from '../time/clock.ts'

export type LimitGroup =
  | 'auth'
  | 'read'
  | 'write'
  | 'agent'
  | 'probe'
  | 'ping'
  | 'scrape'
  | 'query'
  | 'page'
  | 'dashboard'
  | 'check'

/** Requests a minute of one credential, by group. */
export type Limits = Readonly<Record<LimitGroup, number>>

/** The values of the three headers of every response, and the outcome of the request. */
export interface LimitState {
  limit: number
  /** Never negative; on one instance it never increases within a window. */
  remaining: number
  /** Unix time in whole seconds at which the window ends. */
  resetAtSeconds: number
  /** `unknown`: the database is unreachable, and this group admits nothing without it. */
  outcome: 'admitted' | 'refused' | 'unknown'
}

/** Windows are the minutes of one clock, which all instances share. */
export interface RateLimiter {
  /** Counts one request of this credential (or address) in its group's window. Not a promise where no query is needed. */
  take(key: string, group: LimitGroup): LimitState | Promise<LimitState>
  /** Counts a request that was already refused; the next `take` reports it to the other instances. */
  record(key: string, group: LimitGroup): LimitState
  /** Returns the state without counting: for responses that show a limit that does not apply to them. */
  peek(key: string, group: LimitGroup): LimitState
  /** The clock of the windows, ms. */
  now(): number
}

export const WINDOW_MS = 60_000

/** Limits that are shown but never enforced. */
export function createUnlimited(limits: Limits, clock: Pick<Clock, 'now'>): RateLimiter {
  const show = (_key: string, group: LimitGroup): LimitState => ({
    limit: limits[group],
    remaining: limits[group],
    resetAtSeconds: ((Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS) / 1000,
    outcome: 'admitted',
  })
  return { take: show, record: show, peek: show, now: () => clock.now() }
}

/** Requests of jobs, which have no credentials but their URL. */
const PINGS = /^\/(ping|api\/push)\//

/** What senders of alerts post, which has the limit of its token. */
const ALERTS = /^\/v1\/in(\/|$)/
/** What clients of Alertmanager poll. */
const ALERTMANAGER = /^\/v1\/in\/alertmanager\//

/** From one address for a whole organization; the token is what counts. */
const BACK_CHANNEL = /^\/v1\/auth\/oidc\/[^/]+\/back-channel-logout$/

/** Work for anybody outside the API: as many as reads. */
const COSTLY_PAGES = /^\/(readyz|openapi\.json|docs|calendars|incident-actions|chat-actions|mail-addresses)(\/|$)/
/** What restarts the process asks for liveness. */
const UNLIMITED_PAGES = /^\/healthz$/

/**
 * The group that limits a path outside the API by address. A new route has the limit of pages by itself. Undefined where nothing is
 * counted, or where the route counts its requests by their token.
 */
export function limitGroupOfPage(path: string): 'read' | 'page' | undefined {
  if (UNLIMITED_PAGES.test(path) || PINGS.test(path)) return undefined
  return COSTLY_PAGES.test(path) ? 'read' : 'page'
}

/** The group whose limit applies to a request, derived from method and path alone. */
export function limitGroup(method: string, path: string): LimitGroup {
  if (path.startsWith('/v1/agent/')) return 'agent'
  if (BACK_CHANNEL.test(path)) return 'agent'
  // Every page of the sign-in fetches them, and nothing is verified.
  if (path === '/v1/auth/passkeys/sign-in-options') return 'read'
  if (path.startsWith('/v1/auth/')) return 'auth'
  if (path.startsWith('/v1/probe/')) return 'probe'
  if (path === '/v1/prometheus/api/v1/write' || path.startsWith('/v1/otlp/')) return 'agent'
  if (path.startsWith('/v1/prometheus/api/')) return 'query'
  if (path.startsWith('/v1/prometheus/')) return 'scrape'
  if (ALERTMANAGER.test(path) && (method === 'GET' || method === 'HEAD')) return 'scrape'
  if (PINGS.test(path) || ALERTS.test(path)) return 'ping'
  // It changes nothing, and the editor sends one with each pause of the person who types.
  if (path === '/v1/status-pages/preview') return 'read'
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write'
}

/** The header of every request that the dashboard sends. */
const CLIENT_HEADER = 'x-vedette-client'

/** Whether the dashboard sent the request: its reads count by session, apart from those of a user's scripts. */
export const isOfDashboard = (headers: Record<string, string | string[] | undefined>): boolean =>
  headers[CLIENT_HEADER] === 'dashboard'

/** A client of IPv6 has a whole /64, and providers assign up to a /56: authentication counts by the larger one. */
const NETWORK_BITS = { ipv4: 32, ipv6: 64 } as const
const AUTH_NETWORK_BITS = { ipv4: 32, ipv6: 56 } as const

/** The limit key of a client address in a group. */
export function limitKeyOfAddress(address: string | undefined, group: LimitGroup): string {
  if (address === undefined) return 'ip:unknown'
  return `ip:${networkOf(address, group === 'auth' ? AUTH_NETWORK_BITS : NETWORK_BITS) ?? address}`
}

export function limitHeaders(state: Omit<LimitState, 'outcome'>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetAtSeconds),
  }
}
