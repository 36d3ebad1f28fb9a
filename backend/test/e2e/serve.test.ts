import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ADMIN, call, makeWorkbench, signIn } from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

test('a new installation that only serves has its own region, and takes monitors and heartbeats', async () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const { url } = await bench.start({ dataDir, command: 'serve', environment: ADMIN })
  const as = await signIn(url)
  const { body } = await call(url, 'GET', '/v1/regions', as)
  expect(body.regions).toEqual([{ id: 'local', name: 'local', status: 'offline', control_targets: [] }])
  const options = { schedule: { period_seconds: 300, grace_seconds: 60 } }
  for (const monitor of [{ url: 'https://example.com/' }, { type: 'heartbeat', options }])
    expect((await call(url, 'POST', '/v1/monitors', as, { name: 'Shop', ...monitor })).status).toBe(201)
})
