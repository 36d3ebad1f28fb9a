import { AsyncLocalStorage } from 'node:async_hooks'
import { connect, type Socket } from 'node:net'
import type pg from 'pg'
import { currentBudget, limitOfStatement, outsideRequest, timedOut, type WaitingBudget } from '../concurrency/waiting-budget.ts'

/**
 * How long a statement of background work may run without a byte from the database. A dead network without a reset shows in no other
 * way. Requests have less: see `REQUEST_LIMIT_MS`.
 */
export const STATEMENT_LIMIT_MS = 10_000
/** The same for statements that work on millions of rows. */
const LONG_STATEMENT_LIMIT_MS = 600_000
/** How long the close of a connection waits for the other side. */
const CLOSE_LIMIT_MS = 2_000
/** Dead connections that wait for an answer or a notification are found by the kernel after 30 s, where no proxy stands between. */
const KEEP_ALIVE = { enable: true, initialDelay: 15_000, interval: 5_000, count: 3 }

const limitOfContext = new AsyncLocalStorage<number>()

/**
 * Runs `work` with the limit of long statements, also within a request: compaction, partitions, deletion of an organization, copies of
 * whole tables.
 */
export const withLongStatements = <T>(work: () => Promise<T>): Promise<T> =>
  outsideRequest(() => limitOfContext.run(LONG_STATEMENT_LIMIT_MS, work))

/** What a transaction of background work may rest between two statements, which decode samples for instance. */
const REST_LIMIT_MS = 30_000
/** The server hears of a limit later than the client, which answers first. */
const SERVER_SLACK_MS = 750

/**
 * Limits of the server for the transaction that begins, as statements. A client that a dead network cut off would keep its locks until
 * the server's own keep-alive finds out, after two hours. Set in the transaction, they are not lost behind a transaction pooler.
 */
export function transactionLimits(): string {
  const requestMs = currentBudget()?.limitMs
  const restMs = requestMs === undefined ? Math.max(REST_LIMIT_MS, limitOfContext.getStore() ?? 0) : requestMs + SERVER_SLACK_MS
  const rest = `set local idle_in_transaction_session_timeout = ${restMs}`
  return requestMs === undefined ? rest : `${rest}; set local statement_timeout = ${restMs}`
}

/** What the driver keeps to itself: the socket, whether the last statement has ended, and how the server knows the session. */
interface Internals {
  connection: { stream: Socket }
  readyForQuery: boolean
  processID: number
  secretKey: number
  host: string
  port: number
}

const internalsOf = (client: pg.ClientBase) => client as unknown as Internals
const socketOf = (client: pg.ClientBase): Socket => internalsOf(client).connection.stream

/**
 * Closes the connection when a statement gets no byte for `limitMs`, or for as long as the request may still wait; the statement fails
 * with ETIMEDOUT. The limit is one of silence: a copy that goes on is never cut. It holds behind a transaction pooler too, which loses
 * settings of the session. `onSilence` is called before. The client must be connected.
 */
export function limitSilence(client: pg.ClientBase, limitMs: number, onSilence: () => void = () => undefined): void {
  const socket = socketOf(client)
  let armedMs = 0
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const limited = (...given: unknown[]) => {
    const budget = currentBudget()
    const wantedMs = budget ? limitOfStatement(budget, limitMs) : Math.max(limitMs, limitOfContext.getStore() ?? 0)
    // The server rolls back what was begun; the statement fails because there is no connection.
    if (wantedMs === undefined) discard(client, (budget as WaitingBudget).limitMs)
    else if (wantedMs !== armedMs) socket.setTimeout((armedMs = wantedMs))
    return budget ? counted(budget, query, given) : query(...given)
  }
  client.query = limited as typeof client.query
  ;(socket.setKeepAlive as (options: typeof KEEP_ALIVE) => Socket)(KEEP_ALIVE)
  socket.on('timeout', () => {
    if (internalsOf(client).readyForQuery) return
    onSilence()
    discard(client, armedMs)
    cancelStatement(client)
  })
}

/** Counts the wait for a statement, whose result comes by a callback or a promise. Streams are not counted. */
function counted(budget: WaitingBudget, query: (...given: unknown[]) => unknown, given: readonly unknown[]): unknown {
  const last = given.at(-1)
  const stop = budget.wait()
  if (typeof last === 'function') {
    const callback = (...results: unknown[]) => {
      stop()
      ;(last as (...results: unknown[]) => void)(...results)
    }
    return query(...given.slice(0, -1), callback)
  }
  const result = query(...given)
  if (result instanceof Promise) result.then(stop, stop)
  else stop()
  return result
}

/** Closes a connection at once; a statement that it runs fails with ETIMEDOUT. */
export function discard(client: pg.ClientBase, limitMs: number): void {
  socketOf(client).destroy(timedOut(limitMs))
}

const CANCEL_REQUEST = 80_877_102

/**
 * Asks the server to end the statement of a connection that was closed: waiting for a lock it would not notice, and keep its locks and
 * one of the server's few connections.
 */
function cancelStatement(client: pg.ClientBase): void {
  const { processID, secretKey, host, port } = internalsOf(client)
  const request = Buffer.alloc(16)
  for (const [index, value] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value, index * 4)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket
    .on('error', () => undefined)
    .setTimeout(CLOSE_LIMIT_MS, () => socket.destroy())
    .unref()
    .end(request)
}

/** Ends a connection of its own; one whose other side is silent is closed without a good-bye. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => socketOf(client).destroy(), CLOSE_LIMIT_MS)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}
