import { type EventEmitter, once } from 'node:events'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** What became of a statement. */
export type Executed = { result: pg.QueryResult } | { error: Error }

export interface StatementText {
  text: string
  values: unknown[]
  rowMode?: 'array'
  /** Its rows are copied as bytes. */
  isCopy?: boolean
}

const names = new Map<string, string>()
/** Under its name each session parses and plans a statement once: with so few rows that takes longer than all else. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return name
}

const ONE_STATEMENT = /^\s*(select|with|insert|update|delete)\b[^;]*$/
/** Of the real time, which is not that of the world. */
const SERVER_LIMITS = /\b(idle_in_transaction_session_timeout|statement_timeout) = \d+/g

/** Most statements are through by then; the others may wait for a lock. */
const A_WHILE_MS = 4
const real = { setTimeout, clearTimeout }

/** Undefined where the work takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<undefined>((resolve) => (timer = real.setTimeout(() => resolve(undefined), ms)))
  const first = await Promise.race([work, passed])
  real.clearTimeout(timer)
  return first
}

/** A real connection, as the server sees the one of a client. */
export class Session {
  readonly #client: pg.Client
  /** The answer of a statement that waits for a lock. */
  #waiting: Promise<Executed> | undefined
  constructor(client: pg.Client) {
    this.#client = client
  }

  get pid(): number {
    return (this.#client as unknown as { processID: number }).processID
  }

  /** `I`: between transactions. `T`: in one, which keeps its locks. `E`: in one that failed. */
  get status(): 'I' | 'T' | 'E' {
    return this.#client.getTransactionStatus() as 'I' | 'T' | 'E'
  }

  get isInTransaction(): boolean {
    return this.status !== 'I'
  }

  start({ text, values, rowMode, isCopy }: StatementText): void {
    const statement = {
      text: text.replaceAll(SERVER_LIMITS, '$1 = 0'),
      ...(rowMode && { rowMode }),
      ...(values.length > 0 && { values }),
      ...(ONE_STATEMENT.test(text) && { name: nameOf(text) }),
    }
    const running = isCopy ? this.#copy(text) : this.#client.query(statement as pg.QueryConfig)
    this.#waiting = running.then(
      (result) => ({ result }),
      async (error: Error) => {
        await this.#ready()
        return { error }
      },
    )
  }

  /** The server reports an error first, and gives up locks and status of the transaction before it is ready for the next statement. */
  async #ready(): Promise<void> {
    const { readyForQuery, connection } = this.#client as unknown as { readyForQuery: boolean; connection: EventEmitter }
    if (!readyForQuery) await once(connection, 'readyForQuery')
  }

  async #copy(text: string): Promise<pg.QueryResult> {
    const rows: Buffer[] = []
    for await (const chunk of this.#client.query(copyTo(text))) rows.push(chunk as Buffer)
    return { rows, rowCount: Buffer.concat(rows).length } as unknown as pg.QueryResult
  }

  /** The answer of the statement under way; undefined while another session has what it needs. */
  async answer(sessions: Sessions): Promise<Executed | undefined> {
    const waiting = this.#waiting
    if (!waiting) throw new Error('no statement is under way')
    for (;;) {
      const executed = await within(A_WHILE_MS, waiting)
      if (executed) {
        this.#waiting = undefined
        return executed
      }
      if (await sessions.waitsForLock(this.pid)) return undefined
    }
  }

  /** Ends what the client has begun, as the server does when a client is gone. */
  async end(sessions: Sessions): Promise<void> {
    if (this.#waiting) {
      await sessions.cancel(this.pid)
      await this.#waiting
      this.#waiting = undefined
    }
    if (this.isInTransaction) await this.#client.query('rollback')
  }
}

/**
 * The real connections of a run, which are kept for the next run. As behind a transaction pooler, a client has one from the first of
 * its statements on that may leave something open, until nothing is: so few are in use, which know nearly all statements.
 */
export class Sessions {
  readonly #url: string
  readonly #all: Session[] = []
  #free: Session[] = []
  readonly #clients: pg.Client[] = []
  readonly #side: pg.Client

  private constructor(url: string, side: pg.Client) {
    this.#url = url
    this.#side = side
  }

  static async open(url: string): Promise<Sessions> {
    const side = new pg.Client({ connectionString: url })
    await side.connect()
    return new Sessions(url, side)
  }

  async take(): Promise<Session> {
    const free = this.#free.pop()
    if (free) return free
    const client = new pg.Client({ connectionString: this.#url, options: '-c plan_cache_mode=force_generic_plan' })
    await client.connect()
    this.#clients.push(client)
    const session = new Session(client)
    this.#all.push(session)
    return session
  }

  /** Ends what the clients of an earlier run have begun. */
  async reset(): Promise<void> {
    for (const session of this.#all) await session.end(this)
    this.#free = this.#all.toReversed()
  }

  giveBack(session: Session): void {
    this.#free.push(session)
  }

  /** For the model, which reads what is stored next to all processes. */
  async read<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#side.query<Row>(text, values)).rows
  }

  async waitsForLock(pid: number): Promise<boolean> {
    return (await this.read('select from pg_locks where pid = $1 and not granted limit 1', [pid])).length > 0
  }

  async cancel(pid: number): Promise<void> {
    await this.read('select pg_cancel_backend($1)', [pid])
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients, this.#side].map((client) => client.end()))
  }
}
