import { HOUR_MS } from '@vedette/shared'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registration, startTestBackend, TEST_SECRET, type TestBackend } from '../harness.ts'
import { startReceiver, type Receiver } from '../receiver.ts'
import { ADMIN, call, makeWorkbench, type RunningVedette, signIn, until } from './workbench.ts'

/** Before anything else runs, the clock of this process is wrong by so much. */
const withClock = (offsetMs: number): Record<string, string> => {
  const source = `
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...parts) { if (parts.length > 0) super(...parts); else super(Real.now() + ${offsetMs}) }
      static now() { return Real.now() + ${offsetMs} }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` }
}

const bench = makeWorkbench()
let database: TestBackend
let receiver: Receiver
/** Two whole instances of one database: the clock of the one is an hour ahead, that of the other an hour behind. */
const instances: RunningVedette[] = []
beforeAll(async () => {
  database = await startTestBackend({ startMs: Date.now() })
  receiver = await startReceiver()
  for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
    const environment = {
      ...ADMIN,
      ...withClock(offsetMs),
      DATABASE_URL: database.databaseUrl,
      VEDETTE_SECRET_KEYS: TEST_SECRET,
      VEDETTE_ALLOW_PRIVATE_TARGETS: 'all',
      VEDETTE_LOCAL_AGENT: 'off',
      VEDETTE_RATE_LIMITS: 'off',
    }
    instances.push(await bench.start({ dataDir: join(bench.makeFolder(), 'data'), environment }))
  }
})
afterAll(async () => {
  await bench.cleanUp()
  await receiver.close()
  await database.close()
})

test('a session of an instance whose clock is an hour off is valid on the other', async () => {
  for (const [from, to] of [instances, instances.toReversed()] as [RunningVedette, RunningVedette][]) {
    const as = await signIn(from.url)
    const { status, body } = await call(to.url, 'GET', '/v1/auth/sessions?limit=1', as)
    expect(status).toBe(200)
    expect(Math.abs(Date.parse(body.sessions[0].created_at) - Date.now())).toBeLessThan(60_000)
  }
})

test('checks run at their time on both', async () => {
  const [ahead, behind] = instances as [RunningVedette, RunningVedette]
  const as = await signIn(ahead.url)
  const body = { url: receiver.url, interval: 10 }
  // Each instance runs about half of them.
  for (let count = 0; count < 12; count += 1) await call(behind.url, 'POST', '/v1/monitors', as, { ...body, name: `up ${count}` })
  type Item = { last_checked_at: string | null }
  const list = async (): Promise<Item[]> => (await call(ahead.url, 'GET', '/v1/monitors', as)).body.monitors
  await until(async () => (await list()).every(({ last_checked_at }) => last_checked_at !== null), 30_000)
  for (const { last_checked_at } of await list())
    expect(Math.abs(Date.parse(last_checked_at ?? '') - Date.now())).toBeLessThan(60_000)
})

test('a sample is stored at its own time by both, and an incident is notified once', async () => {
  const [ahead, behind] = instances as [RunningVedette, RunningVedette]
  const as = await signIn(ahead.url)
  const key = await call(ahead.url, 'POST', '/v1/api-keys', as, { name: 'agents', scopes: ['agent'] })
  const agent = await call(behind.url, 'POST', '/v1/agent/register', { 'x-api-key': key.body.key }, registration('clock'))
  const token = { 'x-api-key': agent.body.token }
  const startedAt = Date.now()
  for (const [index, { url }] of instances.entries()) {
    const at = new Date(startedAt - (2 - index) * 1_000).toISOString()
    const body = {
      batch_id: randomUUID(),
      sent_at: new Date().toISOString(),
      agent_version: '0.1.0',
      samples: [{ at, cpu: { percent: 50 } }],
    }
    expect(await call(url, 'POST', '/v1/agent/metrics', token, body)).toMatchObject({ status: 202, body: { accepted: 1 } })
  }
  const channel = { name: 'hook', type: 'webhook', config: { url: receiver.url } }
  const { body: hook } = await call(ahead.url, 'POST', '/v1/channels', as, channel)
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  const rule = { name: 'down', target: { type: 'monitor' }, condition, channel_ids: [hook.id] }
  expect((await call(ahead.url, 'POST', '/v1/alert-rules', as, rule)).status).toBe(201)
  const monitor = { name: 'Shop', url: 'http://127.0.0.1:9/', interval: 10, confirmations: 1 }
  expect((await call(behind.url, 'POST', '/v1/monitors', as, monitor)).status).toBe(201)
  // Checks have no body.
  const notifications = () => receiver.received.filter(({ body }) => body !== '')
  await until(() => notifications().length > 0, 90_000)
  // Longer than a lease: what another process would send again has come by then.
  await new Promise((resolve) => setTimeout(resolve, 12_000))
  // One of each rule: ours, and the one that every organization starts with.
  const incidents = notifications().flatMap(({ body }) => {
    const { incident, incidents: all = [incident] } = JSON.parse(body).data as {
      incident: { id: string }
      incidents?: { id: string }[]
    }
    return all.map(({ id }) => id)
  })
  expect([incidents.length, new Set(incidents).size]).toEqual([2, 2])
})
