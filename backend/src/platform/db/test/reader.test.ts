import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { makeDatabase } from '../../../../test/filled-installation.ts'
import { systemClock } from '../../time/clock.ts'
import { startDatabaseProxy } from '../../../../test/database-proxy.ts'
import { REQUEST_LIMIT_MS } from '../../concurrency/waiting-budget.ts'
import { createPool, createReader, createWaitingBudget, type Pool, type ReadSource, withBudget } from '../index.ts'
import { notFound } from '../../errors.ts'
import { silentLog } from '../../logging/log.ts'

let backend: TestBackend
const pools: Pool[] = []
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await backend.close()
})

function poolOf(url: string): Pool {
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2, patienceMs: 10_000 })
  pools.push(pool)
  return pool
}

/** Connections of a pool have a name of their own. */
const named = (url: string, name: string): string => `${url}${url.includes('?') ? '&' : '?'}application_name=${name}`
const WHO = `select current_setting('application_name') as name`
/** By both methods of a reader. */
async function whoReads({ db, queryNamed }: ReadSource): Promise<string | undefined> {
  const [built, rows] = await Promise.all([
    sql<{ name: string }>`${sql.raw(WHO)}`.execute(db),
    queryNamed<{ name: string }>({ sql: WHO, parameters: [] }),
  ])
  expect(rows).toEqual(built.rows)
  return rows[0]?.name
}

describe('a reader', () => {
  const readerOf = (url: string) => {
    const primary = poolOf(named(backend.databaseUrl, 'primary'))
    return createReader(primary, poolOf(named(url, 'replica')), systemClock, silentLog)
  }

  it('reads from the second URL where it leads to the same server [START-39]', async () => {
    const read = readerOf(backend.databaseUrl)
    expect(await read(whoReads)).toBe('replica')
    expect(await Promise.all(Array.from({ length: 8 }, () => read(whoReads)))).toEqual(Array.from({ length: 8 }, () => 'replica'))
  })

  it('keeps to the primary where the other way leads to another database', async () => {
    const other = await makeDatabase()
    const read = readerOf(other.url)
    expect(await read(whoReads)).toBe('primary')
    await pools.at(-1)?.end()
    pools.pop()
    await other.drop()
  })

  it('keeps to the primary where nobody answers', async () => {
    const url = new URL(backend.databaseUrl)
    url.search = ''
    url.host = '127.0.0.1:1'
    expect(await readerOf(url.href)(whoReads)).toBe('primary')
  })

  it('reads again on the primary what the replica gave up', async () => {
    const read = readerOf(backend.databaseUrl)
    let tries = 0
    const answer = await read(async (from) => {
      tries += 1
      if (tries === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(from.db)
      return whoReads(from)
    })
    expect([answer, tries]).toEqual(['primary', 2])
    // For a while nobody asks it again.
    expect(await read(whoReads)).toBe('primary')
  })

  it('leaves a request the time to read on the primary where the replica falls silent', async () => {
    const proxy = await startDatabaseProxy(backend.databaseUrl)
    const read = readerOf(proxy.url)
    expect(await read(whoReads)).toBe('replica')
    proxy.stallNew(true)
    proxy.stall()
    expect(await withBudget(createWaitingBudget(REQUEST_LIMIT_MS), () => read(whoReads))).toBe('primary')
    proxy.close()
  })

  it('hands on what the product says, once', async () => {
    const read = readerOf(backend.databaseUrl)
    let tries = 0
    const reading = read(() => {
      tries += 1
      return Promise.reject(notFound())
    })
    await expect(reading).rejects.toMatchObject({ code: 'not_found' })
    expect(tries).toBe(1)
    expect(await read(whoReads)).toBe('replica')
  })
})
