import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../src/platform/time/clock.ts'
import { createRandom, type SeededRandom } from './random.ts'

/** One of the processes that run at once. What it does, and its timers, end when it is killed and rest while it is paused. */
export interface Process {
  readonly name: string
  isDead: boolean
  isPaused: boolean
  /** How far its clock is ahead of the time of the world, ms. */
  aheadMs: number
}

/** Something that can happen next. */
export interface Choice {
  owner: Process | undefined
  label: string
  run(): Promise<void> | void
}

interface Timer {
  atMs: number
  order: number
  owner: Process | undefined
  fire(): void
}

const owners = new AsyncLocalStorage<Process>()
export const currentProcess = (): Process | undefined => owners.getStore()
/** Runs `work` as this process: its timers are then those of the process. */
export const runAs = <T>(owner: Process, work: () => T): T => owners.run(owner, work)

const as = <T>(owner: Process | undefined, work: () => T): T => (owner ? runAs(owner, work) : work())

/** After a leap of the time, or a pause. */
const LATE_MS = 5_000

const nextTurn = setImmediate

/**
 * Time and order of everything that happens. One thing happens at a time: after each the world waits until no code has anything left
 * to do, so that what is offered next, and with it the whole run, follows from the seed.
 */
export class World {
  readonly random: SeededRandom
  readonly #trace: string[] | undefined
  #hash = 0x811c9dc5
  #order = 0
  #aside = 0
  #choices = new Map<number, Choice>()
  #timers = new Map<number, Timer>()
  #chores = new Set<Promise<void>>()
  failures: unknown[] = []
  nowMs: number

  constructor(seed: number, startMs: number, trace?: string[]) {
    this.random = createRandom(seed)
    this.nowMs = startMs
    this.#trace = trace
  }

  /** Adds a line to what happened. The same seed has the same lines. */
  note(line: string): void {
    const text = `${this.nowMs} ${line}`
    for (let at = 0; at < text.length; at += 1) this.#hash = Math.imul(this.#hash ^ text.charCodeAt(at), 0x01000193) >>> 0
    this.#trace?.push(text)
  }

  /** The hash of all lines. */
  get hash(): string {
    return this.#hash.toString(16)
  }

  /**
   * Offers something to happen; the returned function takes it back. `isAside`: it comes from the database next to what code does at
   * the same time, so its place among the others must not depend on which comes sooner.
   */
  offer(choice: Choice, isAside = false): () => void {
    const order = isAside ? (this.#aside -= 1) : (this.#order += 1)
    this.#choices.set(order, choice)
    return () => void this.#choices.delete(order)
  }

  after(ms: number, fire: () => void, owner: Process | null = currentProcess() ?? null): () => void {
    const order = (this.#order += 1)
    // As a timer of Node: at least a millisecond.
    this.#timers.set(order, { atMs: this.nowMs + Math.max(1, Math.ceil(ms)), order, owner: owner ?? undefined, fire })
    return () => void this.#timers.delete(order)
  }

  /** Work outside the processes that belongs to what just happened, such as a session of the database that ends. */
  chore(work: () => Promise<void>): void {
    const running: Promise<void> = work()
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.#chores.delete(running))
    this.#chores.add(running)
  }

  clockOf(owner: Process): Clock {
    return {
      now: () => this.nowMs + owner.aheadMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted || ms === Number.POSITIVE_INFINITY) return signal?.aborted ? resolve() : undefined
          const cancel = this.after(
            ms,
            () => {
              signal?.removeEventListener('abort', wake)
              resolve()
            },
            owner,
          )
          const wake = () => {
            cancel()
            resolve()
          }
          signal?.addEventListener('abort', wake, { once: true })
        }),
    }
  }

  kill(owner: Process): void {
    owner.isDead = true
    for (const all of [this.#choices, this.#timers] as Map<number, { owner: Process | undefined }>[])
      for (const [order, each] of all) if (each.owner === owner) all.delete(order)
  }

  readonly #isAwake = ({ owner }: { owner: Process | undefined }): boolean => !owner?.isPaused && !owner?.isDead

  get choices(): number {
    return [...this.#choices.values()].filter(this.#isAwake).length
  }

  /** Lets one of the things happen that can; false where there is none. */
  async happen(): Promise<boolean> {
    const due = [...this.#timers.values()].filter((timer) => timer.atMs <= this.nowMs && this.#isAwake(timer))
    // What should have ended long ago does so first.
    const isLate = due.some(({ atMs }) => atMs < this.nowMs - LATE_MS)
    const offered = isLate
      ? []
      : [...this.#choices].filter(([, choice]) => this.#isAwake(choice)).sort(([one], [other]) => one - other)
    const count = due.length + offered.length
    if (count === 0) return false
    const at = this.random.below(count)
    const timer = due[at]
    if (timer) {
      this.#timers.delete(timer.order)
      as(timer.owner, timer.fire)
    } else {
      const [order, choice] = offered[at - due.length] as [number, Choice]
      this.#choices.delete(order)
      await as(choice.owner, () => choice.run())
    }
    await this.settle()
    return true
  }

  /** Moves the time to the next timer, at most so far. */
  advance(mostMs: number): void {
    const awake = [...this.#timers.values()].filter(this.#isAwake)
    const nextMs = Math.min(this.nowMs + mostMs, ...awake.map(({ atMs }) => atMs))
    this.nowMs = Math.max(this.nowMs, nextMs)
  }

  /** Waits until no code has anything to do before one of the choices or timers happens. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await new Promise<void>((resolve) => void nextTurn(resolve))
      await Promise.all(this.#chores)
      quiet = this.#chores.size > 0 || process.getActiveResourcesInfo().includes('Immediate') ? 0 : quiet + 1
    }
  }
}
