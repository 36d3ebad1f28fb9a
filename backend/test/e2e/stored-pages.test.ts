import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../scripts/test-tools.ts'
import { type PrivateCluster, startPrivateCluster } from './private-cluster.ts'
import { ADMIN, call, makeWorkbench, readiness, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

const BEHIND = 'cannot be updated right now'

describe.skipIf(isMissing('initdb', 'postgres', 'createdb'))('a start while Postgres is away', () => {
  let cluster: PrivateCluster
  let environment: Record<string, string>
  let url: string
  let badge: string
  const dataDir = join(bench.makeFolder(), 'data')
  const files = () => (existsSync(join(dataDir, 'status-pages')) ? readdirSync(join(dataDir, 'status-pages')) : [])

  beforeAll(async () => {
    cluster = await startPrivateCluster(bench)
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    environment = { ...ADMIN, DATABASE_URL: cluster.database('vedette'), VEDETTE_PORT: String(port) }
    const first = await bench.start({ dataDir, environment, command: 'serve' })
    const owner = await signIn(url)
    const post = async (path: string, body: object) => {
      const answer = await call(url, 'POST', path, owner, body)
      expect(answer).toMatchObject({ status: 201 })
      return answer
    }
    const { body: monitor } = await post('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', interval: 60 })
    const section = { name: 'Services', monitors: [monitor.id] }
    const page = { name: 'a', title: 'Acme status', published: true, sections: [section] }
    await post('/v1/status-pages', { ...page, slug: 'acme' })
    await post('/v1/status-pages', { ...page, slug: 'locked', visibility: 'password', password: 'open sesame' })
    await until(() => files().length === 2, 20_000)
    badge = `${url}/badge/${monitor.id}/status.svg`
    await first.stop()
    await cluster.stop()
  })

  test('serves the stored pages, refuses all else, and becomes the whole application on the same port', async () => {
    const program = bench.runVedette({ dataDir, environment, command: 'serve' })
    await until(() => program.output().includes('waiting'), 30_000)
    expect(program.output()).toMatch(/^waiting {4}the database does not answer; .*http:\/\/127\.0\.0\.1/m)

    const page = await fetch(`${url}/status/acme`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(BEHIND)])
    expect((await fetch(`${url}/status/acme/feed.atom`)).status).toBe(200)
    expect((await call(url, 'GET', '/status/acme/api/v2/summary.json')).body.page.name).toBe('Acme status')
    expect((await fetch(badge)).status).toBe(200)
    expect((await fetch(`${url}/status/locked`)).status).toBe(401)
    expect((await call(url, 'GET', '/healthz')).body).toEqual({ status: 'ok' })
    for (const [method, path] of [
      ['GET', '/readyz'],
      ['GET', '/'],
      ['GET', '/v1/monitors'],
      ['POST', '/v1/agent/metrics'],
      ['POST', '/status/locked/unlock'],
      ['GET', '/status/acme/subscribe'],
      ['GET', '/status/published-meanwhile'],
    ] as const) {
      const refused = await fetch(url + path, { method })
      expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 503, '2'])
      expect([path, await refused.json()]).toMatchObject([path, { error: { code: 'unavailable' } }])
    }

    // Each request is answered while the application takes over; fetch rejects at a refused connection.
    const seen = { behind: 0, current: 0 }
    const over = new AbortController()
    const visits = (async () => {
      while (!over.signal.aborted) {
        const visited = await fetch(`${url}/status/acme`)
        expect(visited.status).toBe(200)
        seen[(await visited.text()).includes(BEHIND) ? 'behind' : 'current'] += 1
      }
    })()
    await cluster.start()
    await readiness(program)
    await until(() => seen.current > 10, 20_000).finally(() => over.abort())
    await visits
    expect(seen.behind).toBeGreaterThan(0)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await call(url, 'GET', '/v1/monitors', await signIn(url))).body.total).toBe(1)
    process.kill(program.pid, 'SIGTERM')
    expect((await program.ended).code).toBe(0)
  })

  test('ends at a signal while it waits', async () => {
    await cluster.stop()
    const program = bench.runVedette({ dataDir, environment, command: 'serve' })
    await until(() => program.output().includes('waiting'), 30_000)
    process.kill(program.pid, 'SIGTERM')
    expect((await program.ended).code).toBe(0)
  })

  test('fails with the reason where no copies are stored', async () => {
    const own = { ...environment, VEDETTE_PORT: '0' }
    const { code, output } = await bench.runVedette({
      dataDir: join(bench.makeFolder(), 'data'),
      environment: own,
      command: 'serve',
    }).ended
    expect([code, output]).toEqual([1, expect.stringMatching(/DATABASE_URL does not accept the connection/)])
  })
})
