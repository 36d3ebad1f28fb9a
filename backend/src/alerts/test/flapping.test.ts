import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { incidentsOf, watch, type WatchedMonitor } from './watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let receiver: Receiver
let shop: WatchedMonitor
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  receiver = await startReceiver()
  await backend.call('POST', '/v1/channels', {
    as: admin,
    body: { name: 'hook', type: 'webhook', config: { url: receiver.url } },
  })
  shop = await watch(backend, admin)
  return () => receiver.close()
})

async function turn(outcome: 'up' | 'down', of = shop): Promise<void> {
  await of.goes(outcome)
  await backend.jobs.evaluateSignals()
  await deliver()
}
async function deliver(): Promise<void> {
  await backend.jobs.startDeliveries()
  await backend.jobs.deliveriesDone()
}
async function review(): Promise<void> {
  await backend.jobs.reviewSuppressions()
  await deliver()
}
const notified = () => receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as { type: string }).type.slice(9))
const newest = async () => (await incidentsOf(backend, shop.uuid)).at(-1)
const flap = async (times: number) => {
  for (let time = 0; time < times; time += 1) {
    await turn('down')
    await turn('up')
  }
}

it('the fourth incident of a monitor within an hour, and the next ones, are notified only if they last 5 minutes', async () => {
  await flap(3)
  expect(notified()).toEqual(['opened', 'resolved', 'opened', 'resolved', 'opened', 'resolved'])
  await flap(9)
  await review()
  expect(notified()).toEqual([])
  await turn('down')
  const before = await newest()
  expect([before?.silenced, before?.timeline.at(-1)?.message]).toEqual([
    true,
    'flapping, 3 incidents in the last hour: notified if it lasts 5 minutes',
  ])
  backend.clock.advance(4 * 60_000)
  await review()
  expect(notified()).toEqual([])
  backend.clock.advance(60_000)
  await review()
  await review()
  expect([notified(), (await newest())?.silenced]).toEqual([['opened'], false])
  await turn('up')
  expect(notified()).toEqual(['resolved'])
})

it('after a quiet hour the next incident is notified at once', async () => {
  await flap(5)
  notified()
  const quietUntil = backend.clock.now() + 61 * 60_000
  while (backend.clock.now() < quietUntil) await shop.bring('up')
  await turn('down')
  expect(notified()).toEqual(['opened'])
})

it('other monitors are notified as ever', async () => {
  await flap(4)
  notified()
  await turn('down', await watch(backend, admin))
  expect(notified()).toEqual(['opened'])
})
