import { Kysely } from 'kysely'
import pg from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Log } from '../logging/log.ts'
import { createNodeShares, type TakeShare } from './node-shares.ts'
import { createNodeFinder, type NodeOf } from './nodes.ts'
import { markDistributed } from './distributed.ts'
import { LimitingPostgresDialect } from './dialect.ts'
import { createDedicatedConnection, type DedicatedConnection } from './dedicated-connection.ts'
import { isLostConnection, isReadOnly } from './lost-connection.ts'
import type { Database as Schema } from './schema.ts'
import { growSlowly, limitConnecting } from './connecting-limit.ts'
import { discard, limitSilence, STATEMENT_LIMIT_MS } from './statement-limit.ts'
import { currentBudget, REQUEST_LIMIT_MS } from '../concurrency/waiting-budget.ts'

/** The pool or a transaction. */
export type Db = Kysely<Schema>

/** How long a request waits for a restarting database before it fails with 503: a restart takes 0.1–3 s. */
const CONNECT_PATIENCE_MS = 4_000
const FIRST_PAUSE_MS = 50
/** So many sessions stay open: with a push a minute each would else meet a new session, which starts cold. */
const [MIN_CONNECTIONS, MIN_PUSH_CONNECTIONS] = [2, 1]
/** Each node of a citus has its own; beyond so many they share them. */
const MAX_PUSH_CONNECTIONS = 16
/** Ends statements whose client is gone. Not behind a pooler, which refuses or loses settings of a session. */
const SESSION_OPTIONS = '-c statement_timeout=1h'

export interface Pool {
  db: Db
  /** For statements whose parameters are binary, which the query builder does not know. */
  pg: pg.Pool
  /** For one kind of statement that every request waits for. */
  dedicated: DedicatedConnection
  /** For storing pushes: they must not wait behind queries. */
  pushes: Pick<pg.Pool, 'query' | 'connect'>
  /**
   * Runs one of the few statements that requests wait for all the time, and gives its rows. It is named where it may be, and then
   * parsed once for each connection: half of what a small one takes. The text must be one of few; what varies is a parameter.
   */
  queryNamed<Row extends object>(statement: Statement): Promise<Row[]>
  /** Statements may be named: only where no transaction pooler stands between. */
  namedStatements: boolean
  /** How long a request, or a batch of pushes, waits for this database in all. */
  requestLimitMs: number
  end(): Promise<void>
}

/** As the query builder compiles it. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Postgres keeps each named statement for as long as the connection stands; what comes after so many goes without a name. */
const MAX_NAMES = 64

interface PoolOptions {
  url: string
  clock: Clock
  log: Log
  max?: number
  namedStatements?: boolean
  /** How long a request waits for a connection. */
  patienceMs?: number
  /** How long a statement may run without a byte from the database; see `limitSilence`. */
  statementLimitMs?: number
  requestLimitMs?: number
  /** Where the rows of organizations are; without it the database is asked. */
  nodeOf?: NodeOf
  /** What a connection is made of; without it the driver's own. */
  Client?: pg.PoolConfig['Client']
}

// int8 columns hold milliseconds, digests and counts: all but the digests, which are selected as text, stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function createPool({
  url,
  clock,
  log,
  max = 10,
  namedStatements = false,
  patienceMs = CONNECT_PATIENCE_MS,
  statementLimitMs = STATEMENT_LIMIT_MS,
  requestLimitMs = REQUEST_LIMIT_MS,
  nodeOf,
  Client,
}: PoolOptions): Pool {
  const open = (least: number, most: number, takeShare?: TakeShare): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      min: Math.min(least, most),
      max: most,
      connectionTimeoutMillis: patienceMs,
      ...(Client && { Client }),
      ...(namedStatements && { options: SESSION_OPTIONS }),
    })
    // An idle connection that breaks is dropped by the pool; without a listener it would end the process.
    pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
    // Each connection listens for its release: with more than ten Node would warn of a leak on the console.
    pool.setMaxListeners(Number.POSITIVE_INFINITY)
    const idle = new Set<pg.PoolClient>()
    pool.on('release', (_error, client) => idle.add(client))
    for (const event of ['acquire', 'remove'] as const) pool.on(event, (client) => idle.delete(client))
    // Where one connection is dead the idle ones are suspect: they would cost a request each to find out.
    const onSilence = () => {
      log.warn(
        { limitMs: statementLimitMs, idle: idle.size },
        'a database connection did not answer and is closed, as are the idle ones',
      )
      for (const client of idle) discard(client, statementLimitMs)
    }
    growSlowly(pool)
    limitConnecting(pool, takeShare)
    pool.on('connect', (client) => {
      limitSilence(client, statementLimitMs, onSilence)
      endReadOnly(pool, client)
      // One that breaks between two statements of a transaction would end the process; the next statement fails and says why.
      client.on('error', (error) => log.debug({ err: error }, 'a database connection was lost'))
    })
    return pool
  }
  const findNode = (organization: number) => (nodeOf ?? (nodeOf = createNodeFinder(db)))(organization)
  const pool = open(MIN_CONNECTIONS, max, createNodeShares(findNode, max))
  // One that stores no pushes opens none, one without nodes a single one.
  const pushes = open(MIN_PUSH_CONNECTIONS, MAX_PUSH_CONNECTIONS)
  const patient = { connect: () => connectPatiently(pool, clock), end: () => Promise.resolve(), options: pool.options }
  const db = new Kysely<Schema>({ dialect: new LimitingPostgresDialect({ pool: patient }) })
  // Statements are named on the embedded one alone, which has no extensions.
  if (namedStatements) markDistributed(db, false)
  const dedicated = createDedicatedConnection(pool)
  const end = async () => {
    // The pool waits for every connection that is out. The query builder would end only a pool that it has used.
    dedicated.release()
    await db.destroy()
    await Promise.all([pool.end(), pushes.end()])
  }
  const nameOf = namedStatements ? createNames() : () => undefined
  const queryNamed = async <Row extends object>({ sql, parameters }: Statement) => {
    const client = await connectPatiently(pool, clock)
    try {
      const name = nameOf(sql)
      const { rows } = await client.query<Row>({ ...(name && { name }), text: sql, values: [...parameters] })
      client.release()
      return rows
    } catch (error) {
      client.release(isLostConnection(error))
      throw error
    }
  }
  return { db, pg: pool, dedicated, pushes, queryNamed, namedStatements, requestLimitMs, end }
}

/** A name for each text, the same each time. */
function createNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const cached = names.get(text)
    if (cached !== undefined || names.size >= MAX_NAMES) return cached
    const name = `named_${names.size}`
    names.set(text, name)
    return name
  }
}

/** A session that began while the server, or its default, was read-only may stay so: it is not used again. */
function endReadOnly(pool: pg.Pool, client: pg.PoolClient): void {
  let wasReadOnly = false
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('errorMessage', (error: unknown) => void (wasReadOnly ||= isReadOnly(error)))
  pool.on('release', onRelease)
  client.once('end', () => void pool.off('release', onRelease))
  function onRelease(_error: Error, released: pg.PoolClient): void {
    if (released === client && wasReadOnly) void (client as unknown as pg.Client).end().catch(() => undefined)
  }
}

/** A connection, waiting out a short absence of the database. Throws the last error when it stays away. */
async function connectPatiently(pool: pg.Pool, clock: Clock): Promise<pg.PoolClient> {
  const deadline = clock.now() + CONNECT_PATIENCE_MS
  const budget = currentBudget()
  const stop = budget?.wait()
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await pool.connect()
      } catch (error) {
        const isOver = clock.now() + pause > deadline || (budget !== undefined && budget.leftMs() < pause)
        if (!isLostConnection(error) || isOver) throw error
        await clock.sleep(pause)
      }
    }
  } finally {
    stop?.()
  }
}
