import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Log } from '../logging/log.ts'
import { isLostConnection } from './lost-connection.ts'
import type { Db, Pool, Statement } from './pool.ts'
import type { Database as Schema } from './schema.ts'

/** Where something is read. */
export type ReadSource = Pick<Pool, 'db' | 'queryNamed'>

/** Runs what only reads, on a database that has everything that was stored when it was called. It may be run twice. */
export type Reader = <T>(read: (from: ReadSource) => Promise<T>) => Promise<T>

/** A database or a transaction alone: its statements have no names. */
export const sourceOf = (db: Db): ReadSource => ({
  db,
  queryNamed: async <Row extends object>({ sql, parameters }: Statement) => {
    const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))
    return rows
  },
})

/** Where there is no replica. */
export const readFrom =
  (from: ReadSource): Reader =>
  (read) =>
    read(from)

/** How long a read waits for a replica to catch up; a streaming replica is usually some milliseconds behind. */
const LAG_PATIENCE_MS = 100
const FIRST_PAUSE_MS = 2
/** How long a replica that was behind, unreachable or unsuitable is not used. */
const REST_MS = { behind: 1_000, away: 5_000 } as const
/** The only limit that detects a silent replica in time: the primary has to answer the same request. */
const READ_PATIENCE_MS = 2_000

/** The reason why the primary serves a read instead of its replica. */
class ReplicaUnfit extends Error {
  readonly kind: keyof typeof REST_MS
  constructor(kind: keyof typeof REST_MS, reason: string) {
    super(reason)
    this.kind = kind
  }
}

interface Position {
  cluster: string
  database: string
  /** Start time of the server: equal for two connections to one server. */
  started: string
  /** Position up to which every acknowledged write is stored; null on a replica. */
  lsn: string | null
}

const WHERE = `select system_identifier::text as cluster, extract(epoch from pg_postmaster_start_time())::text as started,
    (select oid::text from pg_database where datname = current_database()) as database,
    case when pg_is_in_recovery() then null else pg_current_wal_flush_lsn()::text end as lsn
  from pg_control_system()`
const HAS_ALL = 'select pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as has'

/**
 * Reads from the replica when its connection has everything that the primary had at the call. The primary serves the read when the
 * replica is behind, unreachable, slow, not a replica of this primary, or fails for another reason: results are always those of the
 * primary.
 */
export function createReader(primary: Pool, replica: Pool, clock: Clock, log: Log): Reader {
  let restsUntil = Number.NEGATIVE_INFINITY
  let isFit = true

  function rest(error: unknown): void {
    const kind = error instanceof ReplicaUnfit ? error.kind : 'away'
    restsUntil = clock.now() + REST_MS[kind]
    if (isFit) log.warn({ err: error }, 'the replica of DATABASE_READ_URL is not usable; reading from the primary')
    isFit = false
  }

  return async (read) => {
    if (clock.now() < restsUntil) return read(primary)
    try {
      const answer = await readThere(primary, replica, clock, read)
      if (!isFit) log.info({}, 'reading from the replica of DATABASE_READ_URL again')
      isFit = true
      return answer
    } catch (error) {
      if (!isOfReplica(error)) throw error
      rest(error)
      return read(primary)
    }
  }
}

/** Errors of the database, not of this code. The primary shows whether the statement itself is wrong. */
const isOfReplica = (error: unknown): boolean =>
  error instanceof ReplicaUnfit || error instanceof pg.DatabaseError || isLostConnection(error)

async function readThere<T>(primary: Pool, replica: Pool, clock: Clock, read: (from: ReadSource) => Promise<T>): Promise<T> {
  const needed = await positionOf(primary.pg)
  const client = await replica.pg.connect()
  let isBroken = true
  const over = new AbortController()
  try {
    const late = clock.sleep(READ_PATIENCE_MS, over.signal).then((): never => {
      throw new ReplicaUnfit('away', `no answer within ${READ_PATIENCE_MS} ms`)
    })
    late.catch(() => undefined)
    const reading = reached(client, needed, clock).then(() => read(sourceOn(client)))
    reading.catch(() => undefined)
    const answer = await Promise.race([reading, late])
    isBroken = false
    return answer
  } catch (error) {
    isBroken = isOfReplica(error)
    throw error
  } finally {
    over.abort()
    client.release(isBroken)
  }
}

async function positionOf(client: pg.Pool | pg.PoolClient): Promise<Position> {
  const { rows } = await client.query<Position>(WHERE)
  return rows[0] as Position
}

/** Resolves when the server has everything up to `needed`. Throws ReplicaUnfit for another database or too much lag. */
async function reached(client: pg.PoolClient, needed: Position, clock: Clock): Promise<void> {
  const own = await positionOf(client)
  if (own.cluster !== needed.cluster || own.database !== needed.database)
    throw new ReplicaUnfit('away', 'DATABASE_READ_URL leads to another database than DATABASE_URL')
  if (own.started === needed.started) return
  if (own.lsn !== null || needed.lsn === null)
    throw new ReplicaUnfit('away', 'DATABASE_READ_URL leads to no replica of DATABASE_URL')
  for (let [waited, pause] = [0, FIRST_PAUSE_MS]; ; waited += pause, pause *= 2) {
    const { rows } = await client.query<{ has: boolean }>(HAS_ALL, [needed.lsn])
    if (rows[0]?.has) return
    if (waited >= LAG_PATIENCE_MS) throw new ReplicaUnfit('behind', `more than ${LAG_PATIENCE_MS} ms behind`)
    await clock.sleep(pause)
  }
}

const bound = new WeakMap<pg.PoolClient, ReadSource>()

/** Runs all statements on this connection, one after the other. */
function sourceOn(client: pg.PoolClient): ReadSource {
  const cached = bound.get(client)
  if (cached) return cached
  let last: Promise<unknown> = Promise.resolve()
  const query = (...given: unknown[]) => {
    const result = last.then(() => (client.query as (...given: unknown[]) => Promise<unknown>).apply(client, given))
    last = result.catch(() => undefined)
    return result
  }
  const alone = { query, release: () => undefined }
  const pool = { connect: () => Promise.resolve(alone), end: () => Promise.resolve(), options: {} }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
  const queryNamed: Pool['queryNamed'] = async <Row extends object>({ sql: text, parameters }: Statement) => {
    const { rows } = (await query({ text, values: [...parameters] })) as pg.QueryResult<Row>
    return rows
  }
  const source = { db, queryNamed }
  bound.set(client, source)
  return source
}
