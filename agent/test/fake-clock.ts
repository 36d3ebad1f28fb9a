import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../src/process/clock.ts'

/** A clock that tests advance. The wall clock can be set independently of the monotonic clock. */
export class FakeClock implements Clock {
  #monotonicMs = 1_000_000
  #wallMs: number
  #timers: { dueMs: number; run: () => void }[] = []

  constructor(wallMs = Date.parse('2026-11-20T18:00:03.000Z')) {
    this.#wallMs = wallMs
  }

  now(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + delayMs, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Sets the wall clock. */
  setWall(byMs: number): void {
    this.#wallMs += byMs
  }

  /** Lets time pass: each timer runs at its instant, and what it began may settle before the next. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#monotonicMs + byMs
    await settle()
    for (;;) {
      const [next] = this.#timers.filter((timer) => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)
      if (!next) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#goTo(Math.max(next.dueMs, this.#monotonicMs))
      next.run()
      await settle()
    }
    this.#goTo(endMs)
    await settle()
  }

  #goTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs
    this.#monotonicMs = monotonicMs
  }
}

/** A few turns of the loop: enough for chains of promises, not for real I/O. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}
