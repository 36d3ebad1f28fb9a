import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDatabaseProxy } from '../../../../test/database-proxy.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'

describe('health', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  const status = async (url: string) => (await backend.call('GET', url)).status

  it('needs no credentials: alive, and ready on a migrated database [HEALTH-01, HEALTH-02]', async () => {
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200])
  })

  it('is not ready, and alive all the same, while the schema is behind [HEALTH-01, HEALTH-03]', async () => {
    const { pg } = backend.pool
    const fresh = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const { rows } = await pg.query(
      'delete from kysely_migration where name = (select max(name) from kysely_migration) returning *',
    )
    const behind = await fresh.call('GET', '/readyz')
    expect([behind.status, behind.body.error.code]).toEqual([503, 'unavailable'])
    expect((await fresh.call('GET', '/healthz')).status).toBe(200)
    await pg.query('insert into kysely_migration (name, timestamp) values ($1, $2)', [rows[0].name, rows[0].timestamp])
    expect((await fresh.call('GET', '/readyz')).status).toBe(200)
    await fresh.close()
  })

  it('is not ready, and alive all the same, while the database is away [HEALTH-01, HEALTH-03]', async () => {
    const proxy = await startDatabaseProxy(backend.databaseUrl)
    const away = await startTestBackend({ databaseUrl: proxy.url, clock: backend.clock })
    expect((await away.call('GET', '/readyz')).status).toBe(200)
    proxy.close()
    const pending = away.call('GET', '/readyz')
    // What waits for the database gives up after some seconds of the clock.
    const over = new AbortController()
    void pending.finally(() => over.abort())
    while (!over.signal.aborted) {
      backend.clock.advance(500)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { status: code, body, headers } = await pending
    expect([code, body.error.code, headers['retry-after']]).toEqual([503, 'unavailable', expect.stringMatching(/^\d+$/)])
    expect((await away.call('GET', '/healthz')).status).toBe(200)
    await away.close()
  })

  it('is not ready within two seconds while the database accepts requests and does not answer [HEALTH-03]', async () => {
    const proxy = await startDatabaseProxy(backend.databaseUrl)
    const away = await startTestBackend({ databaseUrl: proxy.url, clock: backend.clock, statementLimitMs: 5_000 })
    expect((await away.call('GET', '/readyz')).status).toBe(200)
    proxy.stall()
    const pending = [away.call('GET', '/readyz'), away.call('GET', '/readyz')]
    const answered = new AbortController()
    void Promise.all(pending).then(() => answered.abort())
    const since = performance.now()
    while (!answered.signal.aborted) {
      backend.clock.advance(2_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    // The answer came before the limit of the statement, which would end the wait too.
    expect(performance.now() - since).toBeLessThan(4_500)
    expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([503, 503])
    await expect.poll(async () => (await away.call('GET', '/readyz')).status, { timeout: 20_000 }).toBe(200)
    await away.close()
    proxy.close()
  })
})
