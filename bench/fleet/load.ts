/**
 * The agents of a fleet: a process of its own that keeps connections open and pushes at fixed instants, whether answers come or
 * not. Driven by messages (`FleetOrder` in, `FleetResult` out); prints `ready` first and ends with its parent.
 */
import { connect, type Socket } from 'node:net'
import { createLiveBodies, pushRequest } from '../samples/push-bodies.ts'

export interface FleetOrder {
  port: number
  /** One of each agent; they push one after the other, evenly over `everySeconds`. */
  tokens: readonly string[]
  everySeconds: number
  /** Those that are due within so many ms push at once. */
  togetherMs: number
  connections: number
  seconds: number
  /** Before it, not counted. */
  warmUpSeconds: number
}

export interface FleetResult {
  perSecond: number
  /** From the instant at which the agent was to push. */
  p99Ms: number
  /** From when the request was written: without what this process was late. */
  p99AnswerMs: number
  failures: number
  firstFailure: string | undefined
  /** Answered within the time, and still open at its end. */
  openConnections: number
}

interface Push {
  agent: number
  dueMs: number
}

interface Line {
  socket: Socket
  answer: string
  push: Push | undefined
  sentMs: number
}

const TICK_MS = 2
/** So many times as often as measured: V8 is to have compiled what a backend that runs for hours has. */
const WARM_UP_PACE = 10
const ANSWER_PATIENCE_MS = 15_000

class Fleet {
  readonly #order: FleetOrder
  readonly #bodyOf: (agent: number, nowMs: number) => string | Buffer
  /** The one that was used longest ago first, so that all are. */
  readonly #free: Line[] = []
  readonly #waiting: Push[] = []
  #open = 0
  #counted: { ms: number; answerMs: number }[] = []
  #countsFrom = Infinity
  #failures = 0
  #firstFailure: string | undefined

  constructor(order: FleetOrder) {
    this.#order = order
    this.#bodyOf = createLiveBodies(order.tokens.length)
  }

  async run(): Promise<FleetResult> {
    const { connections, warmUpSeconds, seconds } = this.#order
    for (let opened = 0; opened < connections; opened += 250)
      await Promise.all(Array.from({ length: Math.min(250, connections - opened) }, () => this.#connect()))
    const beganMs = performance.now()
    this.#countsFrom = beganMs + warmUpSeconds * 1_000
    const { everySeconds } = this.#order
    await this.#push(beganMs, this.#countsFrom, everySeconds / WARM_UP_PACE)
    await this.#push(this.#countsFrom, this.#countsFrom + seconds * 1_000, everySeconds)
    const until = performance.now() + ANSWER_PATIENCE_MS
    while (this.#free.length < this.#open && performance.now() < until) await tick(20)
    return this.#figures()
  }

  async #push(beganMs: number, untilMs: number, everySeconds: number): Promise<void> {
    const { tokens, togetherMs } = this.#order
    const gapMs = (everySeconds * 1_000) / tokens.length
    const dueAt = (push: number) => beganMs + Math.ceil((push * gapMs) / togetherMs) * togetherMs
    for (let next = 0; ; ) {
      const now = performance.now()
      if (now >= untilMs) return
      for (; dueAt(next) <= now; next += 1) this.#send({ agent: next % tokens.length, dueMs: dueAt(next) })
      await tick(TICK_MS)
    }
  }

  #connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: this.#order.port, noDelay: true })
      const line: Line = { socket, answer: '', push: undefined, sentMs: 0 }
      socket.once('connect', () => {
        this.#open += 1
        this.#free.push(line)
        resolve()
      })
      socket.once('error', (error) => {
        this.#fail(String(error))
        reject(error)
      })
      socket.once('close', () => {
        this.#open -= 1
        if (line.push) this.#fail('the connection was closed')
        const index = this.#free.indexOf(line)
        if (index >= 0) this.#free.splice(index, 1)
      })
      socket.on('data', (chunk) => this.#take(line, String(chunk)))
    })
  }

  #fail(what: string): void {
    this.#failures += 1
    this.#firstFailure ??= what
  }

  #send(push: Push): void {
    const line = this.#free.shift()
    if (!line) {
      this.#waiting.push(push)
      return
    }
    const body = this.#bodyOf(push.agent, Date.now())
    line.push = push
    line.sentMs = performance.now()
    const request = pushRequest(this.#order.tokens[push.agent] ?? '', body)
    if (typeof request === 'string') line.socket.write(request, 'latin1')
    else line.socket.write(request)
  }

  #take(line: Line, chunk: string): void {
    line.answer += chunk
    const headEnd = line.answer.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(line.answer)?.[1] ?? 0)
    if (line.answer.length < headEnd + 4 + length) return
    const { push, answer } = line
    if (!push) return
    if (!answer.startsWith('HTTP/1.1 202') || !answer.includes('"accepted":6,')) this.#fail(answer)
    const now = performance.now()
    if (push.dueMs >= this.#countsFrom) this.#counted.push({ ms: now - push.dueMs, answerMs: now - line.sentMs })
    line.answer = ''
    line.push = undefined
    this.#free.push(line)
    const waiting = this.#waiting.shift()
    if (waiting) this.#send(waiting)
  }

  #figures(): FleetResult {
    const { seconds } = this.#order
    const p99Of = (values: number[]) => Float64Array.from(values).sort()[Math.floor(values.length * 0.99)] ?? Number.NaN
    return {
      perSecond: this.#counted.length / seconds,
      p99Ms: p99Of(this.#counted.map(({ ms }) => ms)),
      p99AnswerMs: p99Of(this.#counted.map(({ answerMs }) => answerMs)),
      failures: this.#failures + this.#waiting.length,
      firstFailure: this.#firstFailure,
      openConnections: this.#open,
    }
  }
}

const tick = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

process.on('message', (order: FleetOrder) => {
  new Fleet(order).run().then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
console.log('ready to go')
