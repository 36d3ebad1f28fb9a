import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'

describe('health', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  const status = async (url: string) => (await backend.call('GET', url)).status

  it('is told without credentials: alive, and ready on a migrated database [HEALTH-01, HEALTH-02]', async () => {
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
    const way = await openWay(backend.databaseUrl)
    const away = await startTestBackend({ databaseUrl: way.url, clock: backend.clock })
    expect((await away.call('GET', '/readyz')).status).toBe(200)
    way.close()
    const asked = away.call('GET', '/readyz')
    // What waits for the database gives up after some seconds of the clock.
    const over = new AbortController()
    void asked.finally(() => over.abort())
    while (!over.signal.aborted) {
      backend.clock.advance(500)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { status: code, body, headers } = await asked
    expect([code, body.error.code, headers['retry-after']]).toEqual([503, 'unavailable', expect.stringMatching(/^\d+$/)])
    expect((await away.call('GET', '/healthz')).status).toBe(200)
    await away.close()
  })
})

/** A way to a database that can be cut, as a network can. */
async function openWay(databaseUrl: string): Promise<{ url: string; close(): void }> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => socket.destroy()))
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { username, password, pathname } = new URL(databaseUrl)
  const { port: nearPort } = server.address() as AddressInfo
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${nearPort}${pathname}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
