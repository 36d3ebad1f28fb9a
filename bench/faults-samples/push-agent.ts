import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registered } from './installation.ts'
import { COLUMNS, FATE, type Ledger } from './ledger.ts'
import type { Answer, Sender } from './sender.ts'

/** How an agent behaves; shares are of its pushes, from 0 to 1. */
export interface Habits {
  /** Between two pushes on one connection, ms at most. */
  pauseMs: number
  /** Sent twice at once. */
  twice: number
  /** Sent once more after it was acknowledged; half of them under another id and with other values, which must not stand. */
  again: number
  /** Sent with a token that is dead. */
  dead: number
  /** With samples in it that are too old or ahead of time. */
  misdated: number
  /** Given up after the first try that was not answered. */
  forgetful: number
}

export interface Rules {
  /** Called with each answer, and when its push began. */
  onAnswer(answer: Answer | undefined, beganAt: number): void
  /** Whether nothing is known to be wrong since then: an answer may be counted in. */
  isCalmSince(beganAt: number): boolean
}

interface Batch {
  from: number
  to: number
  body: string
  isDead: boolean
  /** Additional samples that must be rejected. */
  misdated: number
  /** Without success: it may be stored all the same. */
  wasTried: boolean
}

/** Read with each batch, at its first instant; its value is the number of that sample. */
export const ENTITY = { kind: 'process', name: 'audited', field: 'count' } as const

const PATH = '/v1/agent/metrics'
const CONNECTIONS = 2
const RETRY_MS = 100
/** Cut ahead and sent in any order. */
const PENDING = 6
/** Two pushes that are received in one millisecond are ordered by their content, so the one that must come second is sent later. */
const APART_MS = 3

/** Takes samples, cuts them into batches that never change, and sends each until it is acknowledged. */
export class PushAgent {
  readonly ledger: Ledger
  readonly host: Registered
  /** What must be none. */
  readonly faults = { deadAccepted: 0, miscounted: 0 }
  readonly counts = { pushes: 0, twice: 0, again: 0, refused: 0 }
  readonly #sender: Sender
  readonly #habits: Habits
  readonly #rules: Rules
  readonly #random: () => number
  /** The first sample of each batch: a reading of an entity was sent with it. */
  readonly readings: number[] = []
  readonly #pending: Batch[] = []
  #running: Promise<unknown> = Promise.resolve()
  #mayCut = true
  #giveUpAt = Infinity

  constructor(host: Registered, ledger: Ledger, sender: Sender, habits: Habits, rules: Rules, random: () => number) {
    this.host = host
    this.ledger = ledger
    this.#sender = sender
    this.#habits = habits
    this.#rules = rules
    this.#random = random
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: CONNECTIONS }, () => this.#work()))
  }

  /** Takes no further sample and waits until all that it has is acknowledged; what is not in time stays unknown. */
  async drain(patienceMs: number): Promise<number> {
    this.#mayCut = false
    this.#giveUpAt = performance.now() + patienceMs
    await this.#running
    return this.#pending.length
  }

  async #work(): Promise<void> {
    for (;;) {
      while (this.#mayCut && this.#pending.length < PENDING && this.#cut());
      const [batch] = this.#pending.splice(Math.floor(this.#random() * this.#pending.length), 1)
      if (batch) {
        const isDone = await this.#send(batch)
        if (!isDone) {
          this.#pending.push({ ...batch, wasTried: true })
          // Retries while nothing listens would take CPU from the backend that starts.
          await sleep(RETRY_MS * (0.5 + this.#random()))
        }
      } else if (!this.#mayCut) return
      if (performance.now() > this.#giveUpAt) return
      await sleep(1 + this.#random() * (this.#mayCut ? this.#habits.pauseMs : 20))
    }
  }

  /** Most batches are a minute's, some are a backlog's. */
  #cut(): boolean {
    const dice = this.#random()
    const size = dice < 0.7 ? 6 : dice < 0.95 ? 1 + Math.floor(this.#random() * 100) : 400 + Math.floor(this.#random() * 590)
    const cut = this.ledger.take(size, Date.now())
    if (!cut) return false
    if (this.#random() < 0.002) this.ledger.restart()
    const isDead = this.#random() < this.#habits.dead
    // A batch spans a day at most: what is too old goes alone.
    const misdated = !isDead && this.#random() < this.#habits.misdated ? 2 : 0
    this.ledger.note(cut.from, cut.to, isDead ? FATE.refused : FATE.unknown)
    this.readings.push(cut.from)
    this.#pending.push({ ...cut, body: this.#body(cut, misdated), isDead, misdated, wasTried: false })
    return true
  }

  #body({ from, to }: { from: number; to: number }, misdated: number, isOther = false): string {
    const columns: Record<string, Record<string, number[]> | number[]> = { at_ms: [] }
    const numbers = Array.from({ length: to - from }, (_, index) => from + index)
    const strays = Array.from({ length: misdated }, (_, index) => Date.now() + 3_600_000 + index)
    columns['at_ms'] = [...numbers.map((number) => this.ledger.instantOf(number)), ...strays]
    const values = numbers.map((number) => this.ledger.valuesOf(number))
    for (const [name, value] of Object.entries(COLUMNS)) {
      const [group = '', field = ''] = name.split('.')
      const groups = (columns[group] ??= {}) as Record<string, number[]>
      const given = values.map((one) => one[value])
      groups[field] = [...(isOther && field === 'percent' ? given.map(toOther) : given), ...strays.map(() => 7)]
    }
    const head = { batch_id: randomUUID(), sent_at: new Date().toISOString(), agent_version: '1.0.0' }
    const count = isOther ? from + this.ledger.capacity : from
    const entities = [{ kind: ENTITY.kind, name: ENTITY.name, values: { [ENTITY.field]: count } }]
    return JSON.stringify({ ...head, columns, entities, entities_at: new Date(this.ledger.instantOf(from)).toISOString() })
  }

  /** Whether the batch is done with. */
  async #send(batch: Batch): Promise<boolean> {
    this.counts.pushes += 1
    if (batch.isDead) return this.#sendDead(batch)
    if (this.#random() < this.#habits.twice) return this.#sendTwice(batch)
    const answer = await this.#post(batch.body)
    if (!this.#isWhole(answer, batch)) return answer === undefined && this.#random() < this.#habits.forgetful
    this.ledger.note(batch.from, batch.to, FATE.acked)
    if (this.#random() < this.#habits.again) await this.#sendAgain(batch)
    return true
  }

  async #post(body: string): Promise<Answer | undefined> {
    const beganAt = performance.now()
    const answer = await this.#sender.post(PATH, this.host.token, body)
    this.#rules.onAnswer(answer, beganAt)
    return answer
  }

  /** Acknowledged as a whole, but for what must be refused. */
  #isWhole(answer: Answer | undefined, batch: Batch): boolean {
    if (answer?.status !== 202) return false
    const { accepted = 0, duplicates = 0, rejected = [] } = answer.body ?? {}
    const isWhole = accepted + duplicates === batch.to - batch.from && rejected.length === batch.misdated
    if (!isWhole) this.faults.miscounted += 1
    this.counts.refused += rejected.length
    return isWhole
  }

  async #sendDead(batch: Batch): Promise<boolean> {
    const beganAt = performance.now()
    const answer = await this.#sender.post(PATH, this.host.deadToken, batch.body)
    this.#rules.onAnswer(answer, beganAt)
    if (answer?.status === 202) this.faults.deadAccepted += 1
    if (answer?.status === 401) this.counts.refused += batch.to - batch.from
    return answer?.status === 401 || answer?.status === 202
  }

  /** Over two connections at the same moment: stored once, and the second answer reports duplicates. */
  async #sendTwice(batch: Batch): Promise<boolean> {
    const beganAt = performance.now()
    this.counts.twice += 1
    const answers = await Promise.all([this.#post(batch.body), this.#post(batch.body)])
    const whole = answers.filter((answer) => this.#isWhole(answer, batch))
    if (whole.length === 0) return false
    this.ledger.note(batch.from, batch.to, FATE.acked)
    const accepted = whole.reduce((sum, answer) => sum + (answer?.body?.accepted ?? 0), 0)
    // A try before, or one that was not answered, may have stored it.
    if (accepted > batch.to - batch.from) this.faults.miscounted += 1
    if (whole.length === 2 && accepted === 0 && this.#rules.isCalmSince(beganAt) && !batch.wasTried) this.faults.miscounted += 1
    return true
  }

  /** What stands already is not stored again, nor replaced. */
  async #sendAgain(batch: Batch): Promise<void> {
    this.counts.again += 1
    await sleep(APART_MS)
    const isOther = this.#random() < 0.5
    const answer = await this.#post(isOther ? this.#body(batch, 0, true) : batch.body)
    const accepted = answer?.status === 202 ? (answer.body?.accepted ?? 0) : 0
    if (!isOther && accepted > 0) this.faults.miscounted += 1
  }
}

/** Another value that a push may have. */
const toOther = (percent: number): number => 100 - percent
