/** A clock that is further off than this is corrected; less is the network's and the host's everyday. */
export const MAX_SKEW_MS = 30_000
/** Wall and monotonic clock drift apart by this much only when the wall clock was set or the host slept. */
const JUMP_MS = 5_000

/**
 * How far this host's clock is off the backend's, learnt from the answers. Forgotten when the wall clock is set or the host
 * sleeps: the offset then is a memory of another clock.
 */
export class ClockSkew {
  /** Milliseconds to add to this host's clock; undefined while unknown. */
  offsetMs: number | undefined
  #wallMinusMonotonicMs: number | undefined

  /** An answer said `serverMs` in the middle of the exchange, when this host's clock said `localMs`. */
  learn(serverMs: number, localMs: number): void {
    if (Number.isFinite(serverMs)) this.offsetMs = serverMs - localMs
  }

  /** Looks for a jump of the wall clock; to be called at each sample. True when one was found. */
  watch(wallMs: number, monotonicMs: number): boolean {
    const difference = wallMs - monotonicMs
    const hasJumped = this.#wallMinusMonotonicMs !== undefined && Math.abs(difference - this.#wallMinusMonotonicMs) > JUMP_MS
    this.#wallMinusMonotonicMs = difference
    if (hasJumped) this.offsetMs = undefined
    return hasJumped
  }

  /** What to add to the instants of samples: 0 unless the clock is far off. */
  get correctionMs(): number {
    return this.offsetMs !== undefined && Math.abs(this.offsetMs) > MAX_SKEW_MS ? Math.round(this.offsetMs) : 0
  }
}
