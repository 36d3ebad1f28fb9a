import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type pg from 'pg'

/** How long a statement may run without a byte from the database. A dead network without a reset shows in no other way. */
export const STATEMENT_LIMIT_MS = 10_000
/** The same for statements that work on millions of rows. */
const LONG_STATEMENT_LIMIT_MS = 600_000
/** How long the close of a connection waits for the other side. */
const CLOSE_LIMIT_MS = 2_000
/** Dead connections that wait for an answer or a notification are found by the kernel after 30 s, where no proxy stands between. */
const KEEP_ALIVE = { enable: true, initialDelay: 15_000, interval: 5_000, count: 3 }

const limitOfContext = new AsyncLocalStorage<number>()

/** Runs `work` with the limit of long statements: compaction, partitions, deletion of an organization, copies of whole tables. */
export const withLongStatements = <T>(work: () => Promise<T>): Promise<T> => limitOfContext.run(LONG_STATEMENT_LIMIT_MS, work)

/** What the driver keeps to itself: the socket, and whether the last statement has ended. */
interface Internals {
  connection: { stream: Socket }
  readyForQuery: boolean
}

const socketOf = (client: pg.ClientBase): Socket => (client as unknown as Internals).connection.stream

/**
 * Closes the connection when a statement gets no byte for `limitMs`; the statement fails with ETIMEDOUT. The limit is one of
 * silence: a copy that goes on is never cut. It holds behind a transaction pooler too, which loses settings of the session.
 * `onSilence` is called before. The client must be connected.
 */
export function limitSilence(client: pg.ClientBase, limitMs: number, onSilence: () => void = () => undefined): void {
  const socket = socketOf(client)
  let armedMs = 0
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const limited = (...given: unknown[]) => {
    const wantedMs = Math.max(limitMs, limitOfContext.getStore() ?? 0)
    if (wantedMs !== armedMs) socket.setTimeout(wantedMs)
    armedMs = wantedMs
    return query(...given)
  }
  client.query = limited as typeof client.query
  ;(socket.setKeepAlive as (options: typeof KEEP_ALIVE) => Socket)(KEEP_ALIVE)
  socket.on('timeout', () => {
    if ((client as unknown as Internals).readyForQuery) return
    onSilence()
    discard(client, `The database did not answer within ${armedMs} ms.`)
  })
}

/** Closes a connection at once; a statement that it runs fails with ETIMEDOUT. */
export function discard(client: pg.ClientBase, reason: string): void {
  socketOf(client).destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' }))
}

/** Ends a connection of its own; one whose other side is silent is closed without a good-bye. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => socketOf(client).destroy(), CLOSE_LIMIT_MS)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}
