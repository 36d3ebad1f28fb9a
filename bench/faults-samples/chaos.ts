import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from './installation.ts'
import type { Answer } from './sender.ts'

/** What is promised after a kill, until a push that began after it is acknowledged. */
const LIMITS_MS = { backend: 5_000, postgres: 10_000 } as const
type Part = keyof typeof LIMITS_MS

/** How long nothing may come back before a case is given up. */
const GIVE_UP_MS = 60_000

/** Kills parts at random points, waits until pushes are stored again, and watches what is answered meanwhile. */
export class Chaos {
  readonly counts = { backendKills: 0, startKills: 0, postgresKills: 0, postgresRestarts: 0, compactions: 0, compactionKills: 0 }
  /** What must be none. */
  readonly faults = { tooSlow: 0, failedWithoutFault: 0, outsideEnvelope: 0, withoutLimits: 0 }
  readonly slowestMs = { backend: 0, postgres: 0 }
  /** Answers that were not 202, by status. */
  readonly statuses: Record<number, number> = {}
  readonly #installation: Installation
  readonly #random: () => number
  #faultAt = -Infinity
  #healedAt = -Infinity
  #onHealed: (() => void) | undefined
  #isCompacting = false
  #compacting: Promise<void> = Promise.resolve()

  constructor(installation: Installation, random: () => number) {
    this.#installation = installation
    this.#random = random
  }

  /** For each answer to an agent. */
  note(answer: Answer | undefined, beganAt: number): void {
    if (!answer) return
    const { status, body, hasLimits } = answer
    if (!hasLimits) this.faults.withoutLimits += 1
    if (status === 202 && beganAt > this.#faultAt && this.#onHealed) {
      this.#healedAt = performance.now()
      this.#onHealed()
      this.#onHealed = undefined
    }
    if (status === 202) return
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (typeof body?.error?.code !== 'string' || typeof body.error.message !== 'string') this.faults.outsideEnvelope += 1
    if (status >= 500 && !this.#onHealed && beganAt > this.#healedAt) this.faults.failedWithoutFault += 1
  }

  isCalmSince(beganAt: number): boolean {
    return !this.#onHealed && this.#healedAt < beganAt
  }

  async killBackend(): Promise<void> {
    await this.#point()
    this.counts.backendKills += 1
    await this.#through('backend', async () => {
      await this.#installation.killBackend()
      return () => this.#installation.startBackend()
    })
  }

  /** Killed again while it starts. */
  async killStartingBackend(): Promise<void> {
    await this.#point()
    this.counts.backendKills += 1
    await this.#installation.killBackend()
    this.#faultAt = performance.now()
    this.#onHealed = () => undefined
    await this.#installation.startInVain(100 + this.#random() * 2_000)
    this.counts.startKills += 1
    await this.#through('backend', async () => () => this.#installation.startBackend())
  }

  async killPostgres(): Promise<void> {
    await this.#point()
    this.counts.postgresKills += 1
    await this.#through('postgres', () => this.#installation.killPostgres())
  }

  async restartPostgres(): Promise<void> {
    await this.#point()
    this.counts.postgresRestarts += 1
    await this.#through('postgres', () => this.#installation.restartPostgres())
  }

  /** Runs the job repeatedly until it is stopped; most runs are killed. */
  startCompacting(): void {
    this.#isCompacting = true
    const run = async () => {
      while (this.#isCompacting) {
        await this.compact(this.#random() < 0.6 ? 400 + this.#random() * 1_500 : undefined)
        await sleep(500 + this.#random() * 1_000)
      }
    }
    this.#compacting = run()
  }

  async stopCompacting(): Promise<void> {
    this.#isCompacting = false
    await this.#compacting
  }

  /** Runs the job and kills it after this time; true when it ended successfully before. */
  async compact(killAfterMs?: number): Promise<boolean> {
    const child = this.#installation.compact()
    const ended = once(child, 'exit') as Promise<[number | null]>
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    const [code] = await ended
    clearTimeout(timer)
    if (code === 0) this.counts.compactions += 1
    if (child.signalCode === 'SIGKILL') this.counts.compactionKills += 1
    return code === 0
  }

  /** Somewhere in the stream of pushes. */
  #point(): Promise<void> {
    return sleep(150 + this.#random() * 900)
  }

  /** `strike` makes the fault, what it gives mends it; time counts from the fault to the first push after it that is stored. */
  async #through(part: Part, strike: () => Promise<(() => Promise<void>) | void>): Promise<void> {
    // Before the first fault there is nothing to wait for.
    this.#faultAt = Infinity
    const healed = new Promise<void>((resolve) => (this.#onHealed = resolve))
    const mend = await strike()
    this.#faultAt = performance.now()
    await mend?.()
    const given = new AbortController()
    const givenUp = sleep(GIVE_UP_MS, undefined, { signal: given.signal }).then(() => {
      throw new Error(`${part} was away for ${GIVE_UP_MS} ms`)
    })
    await Promise.race([healed, givenUp]).finally(() => given.abort())
    givenUp.catch(() => undefined)
    const ms = this.#healedAt - this.#faultAt
    this.slowestMs[part] = Math.round(Math.max(this.slowestMs[part], ms))
    if (ms > LIMITS_MS[part]) this.faults.tooSlow += 1
  }
}
