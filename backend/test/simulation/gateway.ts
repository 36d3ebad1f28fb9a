import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import type pg from 'pg'
import type { Executed, Session, Sessions, StatementText } from './sessions.ts'
import { terminated, Wire } from './wire.ts'
import { currentProcess, type Process, runAs, type World } from './world.ts'

/**
 * What happens to a statement beyond its execution. `before`, `after`: the connection is lost, before or after the server has it.
 * `silent before`, `silent after`: likewise, and nobody reports the client. `rolled back`: the server ends a deadlock with it.
 */
export type Fate = 'none' | 'before' | 'after' | 'silent before' | 'silent after' | 'rolled back'

export interface GatewayOptions {
  world: World
  sessions: Sessions
  /** Of the next statement. */
  fateOf(owner: Process, statement: string): Fate
}

interface Pending extends StatementText {
  settle(executed: Executed): void
}

/** The server ends a transaction whose client rests longer; `transactionLimits` sets it for each. */
const REST_LIMIT = /idle_in_transaction_session_timeout = (\d+)/

export const skeletonOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 90)

/** The client's class of a pool whose statements go through the gateway: each of them is one choice of the world. */
export function createGateway({ world, sessions, fateOf }: GatewayOptions) {
  /** One statement at most waits for a lock: which of two would get it first is not for the seed to say. */
  let locked: Client | undefined

  /** After each end of a transaction: it may have given what the waiting one needs. One after the other: the answer is taken once. */
  const letWaitingOneGoOn = (): Promise<void> => (goingOn = goingOn.then(goOn, goOn))
  let goingOn: Promise<void> = Promise.resolve()
  async function goOn(): Promise<void> {
    const waiting = locked
    const { session } = waiting ?? {}
    if (!waiting || !session || (await sessions.waitsForLock(session.pid))) return
    const executed = await session.answer(sessions)
    if (!executed) return
    locked = undefined
    world.offer({ owner: waiting.owner, label: `${waiting.owner.name} gets the lock`, run: () => waiting.hear(executed) }, true)
  }

  class Client extends EventEmitter {
    readonly owner: Process
    /** While the server has a statement or a transaction of this client. */
    session: Session | undefined
    // What the driver's own pool and our limits read of a client.
    readonly connection = Object.assign(new EventEmitter(), { stream: new Wire((error) => this.lose(error)) })
    readonly processID = 0
    readonly secretKey = 0
    readonly host = '/nowhere'
    readonly port = 1
    readyForQuery = true
    #isUsable = true
    #isConnected = false
    /** The server has ended the connection, which the client notices with its next statement. */
    #isEnded = false
    #isEnding = false
    #queue: Pending[] = []
    #takeBack = () => {}
    #restLimitMs = 30_000
    #endRest = () => {}
    #endSilence = () => {}
    /** Neither side hears of the other any more, and the server does not notice. */
    #isCutOff = false

    constructor() {
      super()
      const owner = currentProcess()
      if (!owner) throw new Error('a connection of nobody')
      this.owner = owner
    }

    connect(callback: (error?: Error) => void): void {
      const run = () => {
        if (!this.#isUsable) return callback(terminated())
        const fate = fateOf(this.owner, 'connect')
        world.note(`${this.owner.name} connects: ${fate}`)
        if (fate !== 'none') {
          this.#isUsable = false
          return callback(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
        }
        this.#isConnected = true
        return callback()
      }
      world.offer({ owner: this.owner, label: 'connect', run })
    }

    get _queryable(): boolean {
      return this.#isUsable
    }

    get _ending(): boolean {
      return this.#isEnding
    }

    isConnected(): boolean {
      return this.#isConnected
    }

    query(given: string | pg.QueryConfig, ...more: unknown[]): Promise<pg.QueryResult> | Readable | undefined {
      if (typeof given === 'object' && 'submit' in given) return this.#copy(given.text)
      const callback = more.at(-1)
      const values = Array.isArray(more[0]) ? more[0] : typeof given === 'string' ? [] : (given.values ?? [])
      const { text, rowMode } = typeof given === 'string' ? { text: given } : (given as pg.QueryArrayConfig)
      const statement = { text, values, ...(rowMode && { rowMode }) }
      if (typeof callback === 'function') {
        const report = callback as (error: Error | undefined, result?: pg.QueryResult) => void
        this.#put({ ...statement, settle: (done) => ('error' in done ? report(done.error) : report(undefined, done.result)) })
        return undefined
      }
      return new Promise((resolve, reject) => {
        this.#put({ ...statement, settle: (done) => ('error' in done ? reject(done.error) : resolve(done.result)) })
      })
    }

    #copy(text: string): Readable {
      const rows = new Readable({ read: () => undefined })
      const settle = (done: Executed) => {
        if ('error' in done) return void rows.destroy(done.error)
        for (const chunk of [...(done.result.rows as Buffer[]), null]) rows.push(chunk)
      }
      this.#put({ text, values: [], isCopy: true, settle })
      return rows
    }

    #put(pending: Pending): void {
      if (!this.#isUsable) return process.nextTick(() => pending.settle({ error: terminated() }))
      this.#queue.push(pending)
      if (this.#queue.length === 1) this.#offerFirst()
    }

    #offerFirst(): void {
      const [first] = this.#queue
      if (!first) return
      this.readyForQuery = false
      const { limitMs } = this.connection.stream
      if (limitMs > 0) this.#endSilence = world.after(limitMs, () => this.connection.stream.emit('timeout'), this.owner)
      const label = `${this.owner.name} ${skeletonOf(first.text)}`
      this.#takeBack = world.offer({ owner: this.owner, label, run: () => this.#execute(first, label) })
    }

    async #execute(statement: Pending, label: string): Promise<void> {
      if (this.#isEnded) return this.lose(Object.assign(new Error('terminating connection'), { code: '25P03' }))
      const fate = fateOf(this.owner, statement.text)
      this.#endRest()
      if (fate === 'before' || fate === 'silent before') {
        world.note(`${label}: ${fate}`)
        return fate === 'before' ? this.lose(terminated()) : this.#cutOff()
      }
      const session = (this.session ??= await sessions.take())
      session.start(fate === 'rolled back' ? ROLLED_BACK : statement)
      let executed = await session.answer(sessions)
      if (!executed && locked) {
        world.note(`${label}: waits for a lock as another does, and is rolled back`)
        await session.end(sessions)
        executed = { error: Object.assign(new Error('deadlock detected'), { code: '40P01' }) }
      }
      if (!executed) {
        world.note(`${label}: waits for a lock`)
        // oxlint-disable-next-line typescript/no-this-alias -- the one of all clients that waits
        locked = this
        return
      }
      this.#restLimitMs = Number(REST_LIMIT.exec(statement.text)?.[1] ?? this.#restLimitMs)
      world.note(`${label}: ${fate} ${outcomeOf(executed)}`)
      if (fate === 'after') this.lose(terminated())
      else if (fate === 'silent after') this.#cutOff()
      else this.hear(executed)
      if (session.status !== 'T' || statement.text.startsWith('rollback')) await letWaitingOneGoOn()
    }

    /** The answer arrives. */
    hear(executed: Executed): void {
      if (!this.#isUsable) return
      const statement = this.#queue.shift()
      this.#endSilence()
      this.readyForQuery = true
      const { session } = this
      if (session?.status === 'I') {
        this.session = undefined
        sessions.giveBack(session)
      } else this.#endRestLater()
      statement?.settle(executed)
      if (this.#isUsable) this.#offerFirst()
    }

    #cutOff(): void {
      this.#isCutOff = true
      this.#endRestLater()
    }

    /** The server ends the transaction of a client that rests for too long. */
    #endRestLater(): void {
      const { session } = this
      if (!session) return
      const end = () => {
        world.note(`${this.owner.name}: the server ends a transaction at rest`)
        if (this.session !== session) return this.#free(session)
        this.#isEnded = true
        this.#giveSessionBack()
        if (this.readyForQuery) this.lose(Object.assign(new Error('terminating connection'), { code: '25P03' }))
      }
      // Of no process: the server does so when the client is dead, too.
      this.#endRest = world.after(this.#restLimitMs, end, null)
    }

    #giveSessionBack(): void {
      const { session } = this
      this.session = undefined
      if (session) this.#free(session)
    }

    #free(session: Session): void {
      this.#endRest()
      if (locked === this) locked = undefined
      world.chore(async () => {
        await session.end(sessions)
        sessions.giveBack(session)
        await letWaitingOneGoOn()
      })
    }

    /** The connection is gone: whatever was asked of it fails, and the server rolls back. */
    lose(error: Error): void {
      runAs(this.owner, () => this.#lose(error))
    }

    #lose(error: Error): void {
      if (!this.#isUsable) return
      this.#isUsable = false
      this.#takeBack()
      this.#endSilence()
      if (this.#isCutOff && this.session?.isInTransaction) this.session = undefined
      else this.#giveSessionBack()
      this.readyForQuery = true
      for (const { settle } of this.#queue.splice(0)) settle({ error })
      if (!this.#isEnding && this.listenerCount('error') > 0) this.emit('error', error)
      process.nextTick(() => this.emit('end'))
    }

    /** As `lose`, of a process that is dead: nobody hears of it. */
    abandon(): void {
      this.#isUsable = false
      this.#giveSessionBack()
    }

    end(callback?: () => void): Promise<void> | undefined {
      this.#isEnding = true
      this.lose(terminated())
      if (!callback) return Promise.resolve()
      process.nextTick(callback)
      return undefined
    }

    ref(): void {}
    unref(): void {}
  }
  const clients = new Set<Client>()
  class Registered extends Client {
    constructor() {
      super()
      clients.add(this)
      this.once('end', () => clients.delete(this))
    }
  }

  return {
    Client: Registered as unknown as NonNullable<pg.PoolConfig['Client']>,
    /** The server notices that a process is gone. */
    drop: (owner: Process) => {
      for (const client of clients) if (client.owner === owner) client.abandon()
    },
    cut: (owner: Process) => {
      for (const client of clients) if (client.owner === owner && client.isConnected()) client.lose(terminated())
    },
  }
}

const ROLLED_BACK = { text: `do $$ begin raise exception 'by the gateway' using errcode = '40P01'; end $$`, values: [] }

const outcomeOf = (executed: Executed): string =>
  'error' in executed ? ((executed.error as { code?: string }).code ?? executed.error.message) : String(executed.result.rowCount)
