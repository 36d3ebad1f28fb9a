import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../../../../test/database-proxy.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../logging/log.ts'
import { systemClock } from '../../time/clock.ts'
import { holdBy } from '../../../../test/database-locks.ts'
import {
  createPool,
  createWaitingBudget,
  inTransaction,
  isLostConnection,
  announceChange,
  watchChanges,
  outsideRequest,
  type Pool,
  withBudget,
  withLongStatements,
} from '../index.ts'

const LIMIT_MS = 400

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

let proxy: DatabaseProxy
let pool: Pool
beforeEach(async () => {
  proxy = await startDatabaseProxy(backend.databaseUrl)
  pool = createPool({
    url: proxy.url,
    clock: systemClock,
    log: silentLog,
    max: 3,
    patienceMs: 1_000,
    statementLimitMs: LIMIT_MS,
  })
})
afterEach(async () => {
  await pool.end()
  proxy.close()
})

const one = { text: 'select 1::int4', rowMode: 'array' } as const
const statements: [string, () => Promise<unknown>][] = [
  ['the query builder', () => pool.db.selectFrom('setting').select('name').execute()],
  ['a plain statement', () => pool.pg.query('select 1')],
  ['a named statement', () => pool.queryNamed({ sql: 'select 1', parameters: [] })],
  ['the kept connection', () => pool.dedicated.query<[number]>(one, [])],
  ['the connection of pushes', () => pool.pushes.query('select 1')],
  ['a transaction', () => pool.db.transaction().execute((db) => db.selectFrom('setting').select('name').execute())],
]

async function failure(work: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const since = performance.now()
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - since }
}

describe('a database whose connections fall silent without a reset', () => {
  it.each(statements)('fails %s within the limit, and the next one succeeds', async (_name, work) => {
    await work()
    proxy.stall()
    const { error, ms } = await failure(work)
    expect(isLostConnection(error)).toBe(true)
    expect(ms).toBeLessThan(5 * LIMIT_MS)
    await work()
  })

  it('costs one limit, not one for each connection of the pool', async () => {
    await Promise.all([1, 2, 3].map(() => pool.pg.query('select pg_sleep(0.05)')))
    proxy.stall()
    expect(isLostConnection((await failure(() => pool.pg.query('select 1'))).error)).toBe(true)
    for (let turn = 0; turn < 3; turn += 1) expect((await pool.pg.query('select 1')).rowCount).toBe(1)
  })

  it('fails new connections within the patience, and heals when they get through again', async () => {
    await pool.pg.query('select 1')
    proxy.stallNew(true)
    proxy.stall()
    for (let turn = 0; turn < 2; turn += 1)
      expect(isLostConnection((await failure(() => pool.pg.query('select 1'))).error)).toBe(true)
    proxy.stallNew(false)
    expect((await pool.pg.query('select 1')).rowCount).toBe(1)
  })

  it('ends the pool all the same', async () => {
    await Promise.all([1, 2].map(() => pool.pg.query('select pg_sleep(0.05)')))
    proxy.stall()
    const other = createPool({ url: proxy.url, clock: systemClock, log: silentLog, max: 1, statementLimitMs: LIMIT_MS })
    await other.pg.query('select 1')
    proxy.stall()
    expect((await failure(() => other.end())).ms).toBeLessThan(5_000)
  })

  it('brings announcements back over a new connection', async () => {
    const options = { url: proxy.url, db: backend.pool.db, clock: systemClock, log: silentLog }
    const changes = watchChanges({ ...options, testEveryMs: 100, testLimitMs: LIMIT_MS })
    const received: (string | undefined)[] = []
    changes.on('silence', (detail) => received.push(detail))
    await expect.poll(changes.isHeard).toBe(true)
    await announceChange(backend.pool.db, 'silence', ['before'])
    await expect.poll(() => received).toEqual([undefined, 'before'])
    proxy.stall()
    await expect.poll(changes.isHeard).toBe(false)
    await expect.poll(changes.isHeard, { timeout: 10_000 }).toBe(true)
    await announceChange(backend.pool.db, 'silence', ['after'])
    await expect.poll(() => received).toEqual([undefined, 'before', undefined, 'after'])
    await changes.stop()
  })

  it('that does not bring announcements to a session has it poll', async () => {
    // A transaction pooler listens with another session than the next statement has.
    const url = new URL(backend.databaseUrl)
    const elsewhere = {
      url: url.href.replace(url.pathname, '/postgres'),
      db: backend.pool.db,
      clock: systemClock,
      log: silentLog,
    }
    const changes = watchChanges({ ...elsewhere, testEveryMs: 100, testLimitMs: LIMIT_MS })
    const received: unknown[] = []
    changes.on('silence', (detail) => received.push(detail))
    await announceChange(backend.pool.db, 'silence')
    await new Promise((resolve) => setTimeout(resolve, 2 * LIMIT_MS))
    expect([changes.isHeard(), received]).toEqual([false, []])
    await changes.stop()
  })
})

describe('a request', () => {
  const BUDGET_MS = 500
  const inRequest = <T>(work: () => T): T => withBudget(createWaitingBudget(BUDGET_MS), work)
  const sleep = (ms: number) => pool.pg.query(`select pg_sleep(${ms / 1_000})`)

  it('waits for all of its statements together as long as its budget', async () => {
    const failed = await inRequest(() =>
      failure(async () => {
        for (let turn = 0; turn < 10; turn += 1) await sleep(LIMIT_MS / 2)
      }),
    )
    expect(isLostConnection(failed.error)).toBe(true)
    expect(failed.ms).toBeLessThan(10 * (LIMIT_MS / 2))
  })

  it('counts what it waits at the same time once, and other work not at all', async () => {
    const budget = createWaitingBudget(60_000)
    await withBudget(budget, async () => {
      const since = performance.now()
      // Far below the limit of a statement: on a busy machine each takes longer.
      await Promise.all([1, 2, 3].map(() => sleep(LIMIT_MS / 8)))
      const passedMs = performance.now() - since
      const leftMs = budget.leftMs()
      expect(60_000 - leftMs).toBeGreaterThanOrEqual(LIMIT_MS / 8)
      expect(60_000 - leftMs).toBeLessThanOrEqual(passedMs)
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(budget.leftMs()).toBe(leftMs)
    })
  })

  it('waits for a connection as long as its budget, and gives back one that comes later', async () => {
    const held = await Promise.all([1, 2, 3].map(() => pool.pg.connect()))
    for (const work of [() => pool.pg.query('select 1'), () => pool.pg.connect(), statements[0]![1]])
      expect(isLostConnection((await inRequest(() => failure(work))).error)).toBe(true)
    for (const client of held) client.release()
    await expect.poll(() => [pool.pg.idleCount, pool.pg.waitingCount]).toEqual([3, 0])
  })

  it('does not repeat a transaction when its budget is spent', async () => {
    proxy.stall()
    proxy.stallNew(true)
    let turns = 0
    const { error } = await inRequest(() =>
      failure(() =>
        inTransaction(pool.db, async (db) => {
          turns += 1
          await db.selectFrom('setting').select('name').execute()
        }),
      ),
    )
    expect([isLostConnection(error), turns]).toEqual([true, 0])
  })

  it('starts work that is not bound to it', async () => {
    await withBudget(createWaitingBudget(0), async () => {
      await outsideRequest(() => sleep(50))
      await withLongStatements(() => sleep(50))
      expect(isLostConnection((await failure(() => sleep(1))).error)).toBe(true)
    })
  })
})

describe('what a client leaves behind on the server', () => {
  const waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

  it('does not wait for a lock any more', async () => {
    const hold = await holdBy(backend.databaseUrl, 'lock table setting in access exclusive mode')
    expect(isLostConnection((await failure(statements[0]![1])).error)).toBe(true)
    await expect.poll(async () => (await backend.pool.pg.query(waiting)).rowCount).toBe(0)
    await hold.release()
  })

  it('is no transaction that keeps its locks, when the network fell silent in the middle of one', async () => {
    proxy.stallAt('pg_advisory_xact_lock')
    const lock = sql`select pg_advisory_xact_lock(17)`
    const ended = withBudget(createWaitingBudget(300), () => failure(() => inTransaction(pool.db, (db) => lock.execute(db))))
    expect(isLostConnection((await ended).error)).toBe(true)
    // Waits until the server has ended the other one.
    await sql`select pg_advisory_lock(17)`.execute(backend.pool.db)
    proxy.stallAt(undefined)
  })
})

describe('a session that is read-only', () => {
  it('is not used again', async () => {
    const small = createPool({ url: proxy.url, clock: systemClock, log: silentLog, max: 1 })
    await small.pg.query('set default_transaction_read_only = on')
    const write = () => small.db.deleteFrom('setting').where('name', '=', 'nothing').execute()
    expect(isLostConnection((await failure(write)).error)).toBe(true)
    await write()
    await small.end()
  })
})

describe('a statement that takes longer than the limit', () => {
  const sleep = `select pg_sleep(${(3 * LIMIT_MS) / 1_000})`

  it('fails as a lost connection', async () => {
    expect(isLostConnection((await failure(() => pool.pg.query(sleep))).error)).toBe(true)
  })

  it('succeeds where its work is declared long, and the limit holds again on the same connection afterwards', async () => {
    const small = createPool({ url: proxy.url, clock: systemClock, log: silentLog, max: 1, statementLimitMs: LIMIT_MS })
    await withLongStatements(async () => {
      const client = await small.pg.connect()
      await client.query(sleep)
      client.release()
    })
    expect(isLostConnection((await failure(() => small.pg.query(sleep))).error)).toBe(true)
    await small.end()
  })

  it('is not cut while its rows arrive', async () => {
    const patient = createPool({ url: proxy.url, clock: systemClock, log: silentLog, max: 1, statementLimitMs: 1_000 })
    const text = "select repeat('x', 100000), pg_sleep(0.1) from generate_series(1, 15)"
    expect((await patient.pg.query(text)).rowCount).toBe(15)
    await patient.end()
  })
})
