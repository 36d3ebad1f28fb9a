import type { Clock } from '../../clock.ts'

/** A host whose calls hang gets fewer of them: what hangs may stay for ever. At a minute an hour between two. */
const MAX_DOUBLINGS = 6

/**
 * A call to the system that is too dear for every sample, or may never come back. It is made in the background when it is due,
 * one at a time, and its answer is told once: in the sample after it came. One that is out for too long is given up.
 */
export class PacedCall<T> {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #limitMs: number
  readonly #call: () => Promise<T | undefined>
  readonly #onHung: () => void
  #dueMs = 0
  #hungInARow = 0
  /** Which call is out, and since when. */
  #out: { sinceMs: number } | undefined
  #answer: { value: T; atMs: number } | undefined

  constructor(
    clock: Clock,
    pace: { everyMs: number; limitMs: number },
    call: () => Promise<T | undefined>,
    onHung: () => void = () => undefined,
  ) {
    this.#clock = clock
    this.#everyMs = pace.everyMs
    this.#limitMs = pace.limitMs
    this.#call = call
    this.#onHung = onHung
  }

  /** Makes the call if it is due. */
  start(): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#out && nowMs - this.#out.sinceMs >= this.#limitMs) {
      this.#out = undefined
      this.#hungInARow++
      this.#dueMs = nowMs + this.#everyMs * 2 ** Math.min(this.#hungInARow, MAX_DOUBLINGS)
      this.#onHung()
    }
    if (this.#out || nowMs < this.#dueMs) return
    this.#dueMs = nowMs + this.#everyMs
    void this.#run()
  }

  /** The answer that came since the last time, and when it came. */
  take(): { value: T; atMs: number } | undefined {
    const answer = this.#answer
    this.#answer = undefined
    return answer
  }

  async #run(): Promise<void> {
    const own = { sinceMs: this.#clock.monotonicMs() }
    this.#out = own
    const value = await this.#call().catch(() => undefined)
    // Given up meanwhile: another may be out.
    if (this.#out !== own) return
    this.#out = undefined
    this.#hungInARow = 0
    this.#answer = value === undefined ? undefined : { value, atMs: this.#clock.monotonicMs() }
  }
}
