import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAlertFixture, type AlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'

let backend: TestBackend
let receiver: Receiver
let pinged: Receiver
let alerts: AlertFixture
beforeAll(async () => {
  pinged = await startReceiver()
  backend = await startTestBackend({ environment: { ...LOCAL_TARGETS, VEDETTE_DEAD_MAN_URL: `${pinged.url}/ping/1` } })
  receiver = await startReceiver()
  const operator = await backend.organization()
  alerts = await createAlertFixture(backend, operator, await backend.apiKey(operator, 'admin'))
  await alerts.channel('webhook', { url: receiver.url })
  const other = await backend.organization()
  await (await createAlertFixture(backend, other, await backend.apiKey(other, 'admin'))).channel('webhook', {
    url: `${receiver.url}/other`,
  })
})
afterAll(async () => {
  await backend.close()
  await Promise.all([receiver.close(), pinged.close()])
})

const evaluate = async () => {
  await backend.jobs.evaluateInstallation()
  await alerts.deliver()
}
const notified = () =>
  receiver.received.splice(0).map(({ path, body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { problem: { kind: string; since: string } } }
    return { path, type, ...data.problem }
  })

it('the first organization is notified once when a problem begins and once when it ends [EVENT-04]', async () => {
  await evaluate()
  expect(notified()).toEqual([])
  const since = new Date(backend.clock.now()).toISOString()
  await backend.probe('far')
  await alerts.call('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', regions: ['far'], interval: 60 })
  backend.clock.advance(240_000)
  const second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment: LOCAL_TARGETS })
  await Promise.all([evaluate(), second.jobs.evaluateInstallation(), evaluate()])
  await alerts.deliver()
  const [problem, ...more] = notified()
  expect(problem).toMatchObject({ path: '/', type: 'vedette.unwell', kind: 'checks_missed' })
  expect(problem).toMatchObject({ message: 'Vedette is behind: 1 checks are overdue in far' })
  expect(Date.parse(problem?.since ?? '')).toBeGreaterThan(Date.parse(since))
  backend.clock.advance(60_000)
  await evaluate()
  expect([more, notified()]).toEqual([[], []])
  await backend.pool.db.deleteFrom('check_schedule').execute()
  await evaluate()
  expect(notified()).toMatchObject([{ type: 'vedette.well', kind: 'checks_missed', since: problem?.since }])
  await second.close()
})

it('compaction that works off a backlog is no problem, one that does not for half an hour is', async () => {
  const backlog = Math.floor(backend.clock.now() / HOUR_MS) - 160
  const behind = () =>
    backend.pool.db
      .insertInto('metric_progress')
      .values({ name: 'hour', done: backlog })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ done: backlog }))
      .execute()
  // As while a new host sends the samples of a week.
  await behind()
  await evaluate()
  backend.clock.advance(25 * MINUTE_MS)
  await evaluate()
  await backend.jobs.compactSamples()
  await evaluate()
  expect(notified()).toEqual([])
  await behind()
  const since = new Date(backend.clock.now()).toISOString()
  await evaluate()
  backend.clock.advance(31 * MINUTE_MS)
  await evaluate()
  await evaluate()
  expect(notified()).toMatchObject([{ type: 'vedette.unwell', kind: 'ingest_behind', since }])
  await backend.jobs.compactSamples()
  await evaluate()
  expect(notified()).toMatchObject([{ type: 'vedette.well', kind: 'ingest_behind', since }])
})

it('failing notifications are reported through the channels that work', async () => {
  await alerts.channel('webhook', { url: `${receiver.url}/broken` })
  receiver.answer((response, { path }) => void response.writeHead(path === '/broken' ? 500 : 204).end())
  await alerts.open()
  for (let tries = 0; tries < 3; tries += 1) {
    await alerts.deliver()
    backend.clock.advance(200_000)
  }
  receiver.received.length = 0
  await evaluate()
  const problem = notified().find(({ path, type }) => path === '/' && type === 'vedette.unwell')
  expect(problem).toMatchObject({ kind: 'deliveries_failing' })
})

it("the dead man's switch is requested while the database answers [EVENT-05]", async () => {
  await backend.jobs.pingDeadMan()
  expect(pinged.received).toMatchObject([{ method: 'GET', path: '/ping/1' }])
  pinged.answer((response) => void response.writeHead(500).end())
  await backend.jobs.pingDeadMan()
  expect(pinged.received).toHaveLength(2)
})
