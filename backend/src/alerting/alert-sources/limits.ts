import { rateLimited } from '../../platform/errors.ts'
import { limitHeaders, limitKeyOfAddress, type RateLimiter } from '../../platform/http/index.ts'

/** Senders repeat in bursts: as many requests as in five minutes may come at once. */
const BURST_MINUTES = 5
const MAX_KNOWN = 10_000

export type IntakeLimits = ReturnType<typeof createIntakeLimits>

interface Bucket {
  left: number
  atMs: number
}

/** What a source may send still: a bucket that fills with so many a minute. Pure. */
export function refill({ left, atMs }: Bucket, perMinute: number, nowMs: number): Bucket {
  const gained = (Math.max(0, nowMs - atMs) * perMinute) / 60_000
  return { left: Math.min(perMinute * BURST_MINUTES, left + gained), atMs: Math.max(atMs, nowMs) }
}

/**
 * Limits requests by the token of a source, in the memory of this process, or by their address while the token is unknown.
 * `perMinute`: undefined where nothing is limited.
 */
export function createIntakeLimits(limiter: RateLimiter, perMinute: number | undefined) {
  const known = new Map<string, Bucket>()

  /** Counts a request and gives its headers. Throws rate_limited. */
  function admit(ip: string, name: string): Record<string, string> {
    const before = known.get(name)
    if (!before || perMinute === undefined) return admitAddress(ip)
    const nowMs = limiter.now()
    const { left, atMs } = refill(before, perMinute, nowMs)
    known.set(name, { left: left < 1 ? left : left - 1, atMs })
    const max = perMinute * BURST_MINUTES
    const untilMs = left < 1 ? nowMs + ((1 - left) * 60_000) / perMinute : nowMs + ((max - left + 1) * 60_000) / perMinute
    if (left < 1) throw rateLimited('Too many requests of this alert source.', { max, nowMs, untilMs })
    return limitHeaders({ limit: max, remaining: Math.max(0, Math.floor(left) - 1), resetAtSeconds: Math.ceil(untilMs / 1000) })
  }

  function admitAddress(ip: string): Record<string, string> {
    const state = limiter.peek(limitKeyOfAddress(ip, 'ping'), 'ping')
    if (state.remaining > 0) return limitHeaders(state)
    throw rateLimited('Too many requests with unknown tokens.', {
      max: state.limit,
      nowMs: limiter.now(),
      untilMs: state.resetAtSeconds * 1000,
    })
  }

  function learn(name: string, isKnown: boolean): void {
    if (!isKnown) known.delete(name)
    if (!isKnown || known.has(name) || perMinute === undefined) return
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string)
    known.set(name, { left: perMinute * BURST_MINUTES - 1, atMs: limiter.now() })
  }

  /** Counts a request that was refused, whatever for, by its address while its token is unknown. */
  function refused(ip: string, name: string): void {
    if (!known.has(name)) limiter.record(limitKeyOfAddress(ip, 'ping'), 'ping')
  }

  return { admit, learn, refused }
}
