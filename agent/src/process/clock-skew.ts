/** A larger offset is corrected; a smaller one is normal for hosts and networks. */
export const MAX_SKEW_MS = 30_000
/** Wall and monotonic clock drift apart by this much only when the wall clock was set or the host slept. */
const JUMP_MS = 5_000
/** Even, so that two backends that answer in turn are a tie, which changes nothing. */
const RECENT_ANSWERS = 6
/** Offsets this close are of one clock. */
const AGREEMENT_MS = 5_000
/** A smaller change of the offset does not change the correction: samples stay evenly spaced. */
const MIN_CHANGE_MS = 1_000

/**
 * Estimates the offset between the backend's clock and this host's from the answers to pushes. The offset of most of the recent
 * answers counts, so that one backend with a wrong clock does not shift the samples. Starts over when the wall clock is set or
 * the host sleeps.
 */
export class ClockSkew {
  /** Milliseconds to add to this host's clock to get the backend's; undefined while unknown. */
  offsetMs: number | undefined
  /** What to add to the instants of samples: 0 unless the clock is far off. */
  correctionMs = 0
  #recentMs: number[] = []
  #wallMinusMonotonicMs: number | undefined

  /** An answer said `serverMs` in the middle of the exchange, when this host's clock said `localMs`. */
  learn(serverMs: number, localMs: number): void {
    if (!Number.isFinite(serverMs)) return
    this.#recentMs = [...this.#recentMs, serverMs - localMs].slice(-RECENT_ANSWERS)
    const offsetMs = majorityOffset(this.#recentMs)
    if (offsetMs === undefined) return
    this.offsetMs = offsetMs
    const neededMs = Math.abs(offsetMs) > MAX_SKEW_MS ? Math.round(offsetMs) : 0
    if (neededMs === 0 || Math.abs(neededMs - this.correctionMs) >= MIN_CHANGE_MS) this.correctionMs = neededMs
  }

  /** Detects a jump of the wall clock; call it at each sample. Returns true when it jumped. */
  watch(wallMs: number, monotonicMs: number): boolean {
    const difference = wallMs - monotonicMs
    const hasJumped = this.#wallMinusMonotonicMs !== undefined && Math.abs(difference - this.#wallMinusMonotonicMs) > JUMP_MS
    this.#wallMinusMonotonicMs = difference
    if (hasJumped) {
      this.#recentMs = []
      this.offsetMs = undefined
      this.correctionMs = 0
    }
    return hasJumped
  }
}

/** The median, if more than half of the offsets agree with it. */
function majorityOffset(offsets: readonly number[]): number | undefined {
  const median = offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? 0
  const agreeing = offsets.filter((offset) => Math.abs(offset - median) <= AGREEMENT_MS)
  return agreeing.length * 2 > offsets.length ? median : undefined
}
