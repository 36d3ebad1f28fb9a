import type { Clock } from '../../process/clock.ts'

/** Hanging calls become less frequent, because they may hang for ever: from one per minute to about one per hour. */
const MAX_DOUBLINGS = 6

/**
 * A system call that is too expensive for every sample or may never return. It runs in the background when it is due, one at a time,
 * and its result is returned once, for the next sample. A call that takes too long is abandoned.
 */
export class BackgroundCall<T> {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #limitMs: number
  readonly #call: () => Promise<T | undefined>
  readonly #onHung: () => void
  #dueMs = 0
  #hungInARow = 0
  /** The pending call. */
  #pending: { sinceMs: number } | undefined
  #result: { value: T; atMs: number } | undefined

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

  /** Starts the call if it is due. */
  start(): void {
    const nowMs = this.#clock.monotonicMs()
    if (this.#pending && nowMs - this.#pending.sinceMs >= this.#limitMs) {
      this.#pending = undefined
      this.#hungInARow++
      this.#dueMs = nowMs + this.#everyMs * 2 ** Math.min(this.#hungInARow, MAX_DOUBLINGS)
      this.#onHung()
    }
    if (this.#pending || nowMs < this.#dueMs) return
    this.#dueMs = nowMs + this.#everyMs
    void this.#run()
  }

  /** The result since the last `take`, and when it arrived. */
  take(): { value: T; atMs: number } | undefined {
    const result = this.#result
    this.#result = undefined
    return result
  }

  async #run(): Promise<void> {
    const call = { sinceMs: this.#clock.monotonicMs() }
    this.#pending = call
    const value = await this.#call().catch(() => undefined)
    // Abandoned meanwhile: another call may be pending.
    if (this.#pending !== call) return
    this.#pending = undefined
    this.#hungInARow = 0
    this.#result = value === undefined ? undefined : { value, atMs: this.#clock.monotonicMs() }
  }
}
