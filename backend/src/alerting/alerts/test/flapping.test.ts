import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { incidentsOf, watch, type WatchedMonitor } from '../../../../test/watched-monitor.ts'

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
  await backend.jobs.idle()
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

const minutes = (count: number) => backend.clock.advance(count * 60_000)
const flappingOf = async ({ id } = shop) => {
  const { body } = await backend.call('GET', `/v1/monitors/${id}`, { as: admin })
  const { monitors } = (await backend.call('GET', '/v1/monitors', { as: admin })).body
  const item = monitors.find((one: { id: string }) => one.id === id)
  expect(item.flapping).toBe(body.flapping)
  return body.flapping
}

describe('a monitor whose status alternates', () => {
  it('is marked at the sixth change within an hour, notified once, and once more when it is up and stable', async () => {
    await flap(2)
    await turn('down')
    expect([notified(), await flappingOf()]).toEqual([['opened', 'resolved', 'opened', 'resolved', 'opened'], false])
    await turn('up')
    expect([notified(), await flappingOf()]).toEqual([['flapping'], true])
    await flap(5)
    await review()
    const before = await newest()
    expect([notified(), before?.status, before?.flapping]).toEqual([[], 'open', true])
    expect(before?.timeline.map(({ type }) => type)).toEqual(['opened', 'flapping'])
    minutes(14)
    await backend.jobs.evaluateSignals()
    expect(await flappingOf()).toBe(true)
    minutes(1)
    await backend.jobs.evaluateSignals()
    await deliver()
    expect([notified(), await flappingOf(), (await newest())?.status]).toEqual([['resolved'], false, 'resolved'])
  })

  it('is notified when it is down and stable, and its incident stays open', async () => {
    await flap(3)
    await turn('down')
    notified()
    minutes(15)
    await backend.jobs.evaluateSignals()
    await deliver()
    const incident = await newest()
    expect([notified(), await flappingOf(), incident?.status, incident?.flapping]).toEqual([['stable'], false, 'open', false])
    expect(incident?.timeline.map(({ type }) => type)).toEqual(['opened', 'flapping', 'stable'])
    await turn('up')
    expect(notified()).toEqual(['resolved'])
  })

  it('has no reminders meanwhile', async () => {
    const rule = (await backend.call('GET', '/v1/alert-rules', { as: admin })).body.alert_rules.find(
      ({ name }: { name: string }) => name === 'Monitor down',
    )
    await backend.call('PATCH', `/v1/alert-rules/${rule.id}`, { as: admin, body: { repeat_seconds: 60 } })
    await flap(3)
    notified()
    minutes(5)
    await backend.jobs.notifyOverdue()
    await deliver()
    expect(notified()).toEqual([])
  })

  it('is no longer flapping when it is paused: its incident is resolved', async () => {
    await flap(3)
    notified()
    await backend.call('POST', `/v1/monitors/${shop.id}/pause`, { as: admin })
    await backend.jobs.evaluateSignals()
    await deliver()
    expect([notified(), await flappingOf()]).toEqual([['resolved'], false])
  })

  it('does not reopen an incident that was resolved by hand while it flaps', async () => {
    await flap(3)
    const incident = await newest()
    await backend.call('POST', `/v1/incidents/${encodeId('incident', incident?.id as string)}/resolve`, { as: admin, body: {} })
    await deliver()
    notified()
    await flap(2)
    expect([notified(), (await newest())?.id]).toEqual([[], incident?.id])
  })

  it('is not flapping with six changes in more than an hour', async () => {
    const began = backend.clock.now()
    const slow = await watch(backend, admin, { interval: 1_200 })
    for (let times = 0; times < 3; times += 1) {
      await turn('down', slow)
      await turn('up', slow)
    }
    expect(backend.clock.now() - began).toBeGreaterThan(3_600_000)
    expect([notified(), await flappingOf(slow)]).toEqual([
      ['opened', 'resolved', 'opened', 'resolved', 'opened', 'resolved'],
      false,
    ])
  })
})

it('the fourth incident of a server within an hour is notified only if it lasts 5 minutes', async () => {
  const host = await measure(backend, organization)
  const instance = startBeating(backend)
  const condition = { metric: 'cpu.percent', operator: 'greater_than', value: 50 }
  await backend.call('POST', '/v1/alert-rules', { as: admin, body: { name: 'cpu', target: { type: 'server' }, condition } })
  const [channel] = (await backend.call('GET', '/v1/channels', { as: admin })).body.channels
  for (const { id } of (await backend.call('GET', '/v1/alert-rules', { as: admin })).body.alert_rules)
    await backend.call('PATCH', `/v1/alert-rules/${id}`, { as: admin, body: { channel_ids: [channel.id] } })
  const sends = async (percent: number) => {
    backend.clock.advance(60_000)
    await instance.beat()
    await host.sends({ 'cpu.percent': [percent] })
    backend.clock.advance(5_000)
    await backend.jobs.evaluateServers()
    await review()
  }
  for (let times = 0; times < 3; times += 1) for (const percent of [90, 10]) await sends(percent)
  expect(notified()).toEqual(['opened', 'resolved', 'opened', 'resolved', 'opened', 'resolved'])
  await sends(90)
  const [incident] = (await incidentsOf(backend, host.uuid)).slice(-1)
  expect([notified(), incident?.silenced, incident?.flapping]).toEqual([[], true, true])
  expect(incident?.timeline.at(-1)?.message).toBe('flapping, 3 incidents in the last hour: notified if it lasts 5 minutes')
  minutes(5)
  await review()
  const [later] = (await incidentsOf(backend, host.uuid)).slice(-1)
  expect([notified(), later?.silenced, later?.flapping]).toEqual([['opened'], false, false])
})

it('other monitors are notified as ever', async () => {
  await flap(4)
  notified()
  await turn('down', await watch(backend, admin))
  expect(notified()).toEqual(['opened'])
})
