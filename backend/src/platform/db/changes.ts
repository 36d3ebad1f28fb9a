import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { newRandomId } from '../ids.ts'
import type { Log } from '../logging/log.ts'
import type { Clock } from '../time/clock.ts'
import type { Db } from './pool.ts'
import { closeConnection, limitSilence } from './statement-limit.ts'

/** The changes that all processes announce, this one too. A topic is the name of the table that has changed. */
export interface Changes {
  /** Calls `onChange` with the detail of each change, and without one after an interruption, in which changes may have been missed. */
  on(topic: string, onChange: (detail: string | undefined) => void): void
  /** False where no announcement arrives, as behind a transaction pooler: one has to poll. */
  isHeard(): boolean
  stop(): Promise<void>
}

const CHANNEL = 'vedette_changes'

/** Announces a change with the commit of the transaction; one for each detail. */
export async function announceChange(db: Db, topic: string, details: readonly string[] = ['']): Promise<void> {
  await announcement(topic, details).execute(db)
}

/** The statement of `announceChange`. */
export const announcement = (topic: string, details: readonly string[]): RawBuilder<unknown> =>
  sql`select pg_notify(${CHANNEL}, ${topic} || ' ' || detail) from unnest(${details}::text[]) as detail`

/** The SQL expression that announces a change, for the text of a statement that makes it. Of several within a transaction one is sent. */
export const announcementText = (topic: string): string => `pg_notify('${CHANNEL}', '${topic} ')`

/** The same with a detail, which is an SQL expression. */
export const announcementOf = (topic: string, detail: string): string => `pg_notify('${CHANNEL}', '${topic} ' || ${detail})`

/** Something that is read again after each change. */
export interface Rereading {
  /** When it has to be read, ms; minus infinity: it has changed, or was never read. */
  dueMs(): number
  /** Reads it, once for all who ask meanwhile. What changes meanwhile is due again, and all of it after a failure. */
  read<T>(query: () => Promise<T>): Promise<T>
  /** It is due, whatever the clock says. */
  expire(): void
}

/** Reads again every `everyMs`, and where changes are announced after each of them, else every `announcedEveryMs`. */
export function createRereading(
  { changes, clock }: { changes: Pick<Changes, 'on' | 'isHeard'>; clock: Clock },
  topic: string,
  everyMs: number,
  announcedEveryMs: number,
): Rereading {
  let [announced, seen, readAtMs] = [0, -1, 0]
  let running: Promise<unknown> | undefined
  changes.on(topic, () => (announced += 1))
  const readNow = async <T>(query: () => Promise<T>): Promise<T> => {
    const [upTo, nowMs] = [announced, clock.now()]
    const result = await query()
    ;[seen, readAtMs] = [upTo, nowMs]
    return result
  }
  return {
    dueMs: () => (announced === seen ? readAtMs + (changes.isHeard() ? announcedEveryMs : everyMs) : Number.NEGATIVE_INFINITY),
    // Of one rereading all queries are the same.
    read: <T>(query: () => Promise<T>) => (running ??= readNow(query).finally(() => (running = undefined))) as Promise<T>,
    expire: () => (seen = -1),
  }
}

const [RECONNECT_MS, MAX_RECONNECT_MS] = [1_000, 60_000]
/** How often it is tested that announcements arrive, and how soon one has to: a dead connection is silent, like a quiet one. */
const TEST_EVERY_MS = 15_000
const TEST_LIMIT_MS = 5_000

export interface WatchOptions {
  /** Without a pooler. */
  url: string
  /** Announces the tests: a pooler may return to a session what the session itself announced, and nothing else. */
  db: Db
  clock: Clock
  log: Log
  testEveryMs?: number
  testLimitMs?: number
}

/** Listens on a connection of its own, which is replaced when it breaks. */
export function watchChanges(options: WatchOptions): Changes {
  const { clock, log } = options
  const stopping = new AbortController()
  const listeners: { topic: string; onChange: (detail: string | undefined) => void }[] = []
  let isHeard = false
  const onTested = () => {
    if (isHeard) return
    isHeard = true
    for (const { onChange } of listeners) onChange(undefined)
  }
  const onPayload = (payload: string) => {
    const blank = payload.indexOf(' ')
    const topic = payload.slice(0, blank)
    for (const listener of listeners) if (listener.topic === topic) listener.onChange(payload.slice(blank + 1))
  }
  const running = (async () => {
    for (let pauseMs = RECONNECT_MS; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_RECONNECT_MS)) {
      await listenUntilLost(options, stopping.signal, onTested, onPayload).catch((error: unknown) =>
        log.debug({ err: error }, 'changes are not announced and polled for'),
      )
      if (isHeard) pauseMs = RECONNECT_MS
      isHeard = false
      await clock.sleep(pauseMs, stopping.signal)
    }
  })()
  return {
    on: (topic, onChange) => void listeners.push({ topic, onChange }),
    isHeard: () => isHeard,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

async function listenUntilLost(
  { url, db, clock, testEveryMs = TEST_EVERY_MS, testLimitMs = TEST_LIMIT_MS }: WatchOptions,
  signal: AbortSignal,
  onTested: () => void,
  onPayload: (payload: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 4_000 })
  const lost = new AbortController()
  const end = AbortSignal.any([signal, lost.signal])
  client.once('end', () => lost.abort())
  client.on('error', () => lost.abort())
  const test = `test ${newRandomId()}`
  let heard = new AbortController()
  client.on('notification', ({ payload = '' }) => (payload === test ? heard.abort() : onPayload(payload)))
  try {
    await client.connect()
    limitSilence(client, testLimitMs)
    await client.query(`listen ${CHANNEL}`)
    while (!end.aborted) {
      heard = new AbortController()
      await sql`select pg_notify(${CHANNEL}, ${test})`.execute(db)
      await clock.sleep(testLimitMs, AbortSignal.any([heard.signal, end]))
      if (end.aborted) return
      if (!heard.signal.aborted) throw new Error('no announcement has arrived')
      onTested()
      await clock.sleep(testEveryMs, end)
    }
  } finally {
    await closeConnection(client)
  }
}
