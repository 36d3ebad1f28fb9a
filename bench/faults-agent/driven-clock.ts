import type { Clock } from '../../agent/src/process/clock.ts'

/** More than any of the agent's own steps takes between one await and the next timer. */
const WORKING_TURNS = 8

interface Timer {
  dueMs: number
  run: () => void
}

/**
 * A clock that starts in the past and runs faster until it has come up with the real one. On a busy machine it waits for what is
 * due, and stands while nothing is awaited yet or what was due is still at work: however long that takes, everything happens at its
 * time.
 */
export class DrivenClock implements Clock {
  readonly #onPresent: () => void
  #wallMs: number
  #monotonicMs = 1_000_000
  #lastMs = performance.now()
  #speed: number
  #timers: Timer[] = []
  #next: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  /** Turns of the loop for which the clock still stops. */
  #stoppedForTurns = 0

  constructor({ offsetMs, speed }: { offsetMs: number; speed: number }, onPresent: () => void) {
    this.#wallMs = Date.now() + offsetMs
    this.#speed = speed
    this.#onPresent = onPresent
  }

  get isPresent(): boolean {
    return this.#speed === 1
  }

  now(): number {
    this.#goOn()
    return Math.round(this.#wallMs)
  }

  monotonicMs(): number {
    this.#goOn()
    return this.#monotonicMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.monotonicMs() + delayMs, run }
    // Of two that are due at once the first comes first.
    this.#timers = [...this.#timers, timer].toSorted((a, b) => a.dueMs - b.dueMs)
    this.#arm()
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
      this.#arm()
    }
  }

  jump(byMs: number): void {
    this.#goOn()
    this.#wallMs += byMs
  }

  #arm(): void {
    this.#disarm()
    const [first] = this.#timers
    if (!first || this.#stoppedForTurns > 0) return
    const waitMs = (first.dueMs - this.monotonicMs()) / this.#speed
    // A timer of the system takes a millisecond at least.
    if (waitMs >= 1) this.#next = setTimeout(() => this.#fire(), waitMs)
    else this.#immediate = setImmediate(() => this.#fire())
  }

  #disarm(): void {
    clearTimeout(this.#next)
    clearImmediate(this.#immediate)
  }

  #fire(): void {
    const [first] = this.#timers
    if (first && this.monotonicMs() >= first.dueMs) {
      this.#timers.shift()
      if (!this.isPresent) this.#stop()
      first.run()
    }
    this.#arm()
  }

  /** Stops the clock for some turns of the event loop, in which the code that the timer started sets its next timer. */
  #stop(): void {
    const isStopped = this.#stoppedForTurns > 0
    this.#stoppedForTurns = WORKING_TURNS
    const turn = () => {
      this.#stoppedForTurns -= 1
      if (this.#stoppedForTurns > 0) return setImmediate(turn)
      this.#lastMs = performance.now()
      this.#arm()
      return undefined
    }
    if (!isStopped) setImmediate(turn)
  }

  #goOn(): void {
    const nowMs = performance.now()
    const isStopped = !this.isPresent && (this.#timers.length === 0 || this.#stoppedForTurns > 0)
    const passedMs = isStopped ? 0 : (nowMs - this.#lastMs) * this.#speed
    const dueMs = this.#timers[0]?.dueMs ?? Number.POSITIVE_INFINITY
    const isHeld = this.#speed !== 1 && this.#monotonicMs + passedMs > dueMs
    const stepMs = isHeld ? Math.max(0, dueMs - this.#monotonicMs) : passedMs
    this.#lastMs = nowMs
    this.#wallMs += stepMs
    this.#monotonicMs = isHeld ? Math.max(this.#monotonicMs, dueMs) : this.#monotonicMs + stepMs
    if (this.#speed !== 1 && this.#wallMs >= Date.now()) {
      this.#wallMs = Date.now()
      this.#speed = 1
      this.#onPresent()
    }
  }
}
