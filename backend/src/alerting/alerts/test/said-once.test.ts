import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure, type MeasuredServer, startBeating } from '../../../../test/measured-server.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { parseId } from '../../../platform/ids.ts'

// With the rules that every new organization has, and one channel.

let backend: TestBackend
let receiver: Receiver
let instance: ReturnType<typeof startBeating>
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
  instance = startBeating(backend)
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

let organization: TestOrganization
let admin: Credentials
let server: MeasuredServer
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  const config = { url: receiver.url }
  const channel = await call('POST', '/v1/channels', { name: 'hook', type: 'webhook', config })
  await backend.pool.db
    .updateTable('alert_rule')
    .set({ channel_ids: [parseId('channel', channel.id) as string] })
    .where('organization', '=', organization.number)
    .execute()
  server = await measure(backend, organization)
  receiver.received.length = 0
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body

type State = Parameters<MeasuredServer['sends']>[1]
/** A minute passes, and the server pushes this at its end. */
async function minute(state: State = {}, memory = 40): Promise<void> {
  backend.clock.advance(55_000)
  await instance.beat()
  await server.sends({ 'cpu.percent': [1], 'memory.percent': [memory] }, state)
  // The state of hosts is written later than their samples.
  await backend.vedette.flushAll()
  backend.clock.advance(5_000)
  await instance.beat()
  await backend.jobs.evaluateServers()
}

/** How many incidents each open story has, and what arrived at the channel since. */
async function said(): Promise<{ stories: number[]; messages: string[] }> {
  await backend.jobs.startDeliveries()
  await backend.jobs.idle()
  const { incidents } = await call('GET', '/v1/incidents?group=story&status=open')
  return {
    stories: incidents.map(({ incident_count: count }: { incident_count: number }) => count),
    // Sent at once: they arrive in any order.
    messages: receiver.received
      .splice(0)
      .flatMap(({ body }) => {
        const { type, data } = JSON.parse(body)
        // Servers of the other tests are offline by now.
        return data.incident.target.id === server.id ? [`${type.slice(9)} ${data.incident.severity}`] : []
      })
      .toSorted(),
  }
}

const filesystem = (percent: number, mount = '/var') => ({
  mount,
  fs_type: 'ext4',
  used_bytes: percent * 1e9,
  total_bytes: 100e9,
  percent,
})
const web = (values: object, name = 'web') => ({ kind: 'container', name, values: { running: 1, ...values } })
const died = (secondsAgo: number) => ({
  at: new Date(backend.clock.now() + 55_000 - secondsAgo * 1_000).toISOString(),
  kind: 'container',
  name: 'web',
  type: 'died',
  exit_code: 137,
  oom: true,
})
const ups = (values: object) => ({ kind: 'battery', name: 'rack', attributes: { type: 'ups' }, values })
const several = (count: number, state: () => State, memory?: number) => async () => {
  for (let index = 0; index < count; index += 1) await minute(state(), memory)
}

describe('one cause is one story with one notification a channel', () => {
  it.each([
    ['a disk that is full', 2, several(1, () => ({ filesystems: [filesystem(97)] }))],
    [
      'a container that is killed for memory again and again',
      2,
      async () => minute({ entities: [web({ oom_kills: 3 })], entity_events: [died(3), died(2), died(1)] }),
    ],
    [
      'memory that is full',
      2,
      several(13, () => ({ entities: [{ kind: 'pressure', name: 'memory', values: { full_percent: 60 } }] }), 99),
    ],
    [
      'a disk that fails and is worn',
      2,
      several(1, () => ({ entities: [{ kind: 'disk', name: 'sda', values: { healthy: 0, used_percent: 99 } }] })),
    ],
    ['a UPS on battery', 1, several(3, () => ({ entities: [ups({ on_battery: 1, charge_percent: 90 })] }))],
    ['a unit that fails', 1, several(2, () => ({ entities: [], host: { failed_units: ['a.service'] } }))],
    [
      'a host that is offline',
      1,
      async () => {
        await minute()
        for (let index = 0; index < 40; index += 1) {
          backend.clock.advance(15_000)
          await instance.beat()
          await backend.jobs.evaluateServers()
        }
      },
    ],
  ])('%s', async (_, count, happens) => {
    await minute()
    await happens()
    const { stories, messages } = await said()
    expect(stories).toEqual([count])
    expect(messages).toHaveLength(1)
  })

  it('and is notified again where it becomes critical: a disk that fills', async () => {
    await minute({ filesystems: [filesystem(80)] })
    await minute({ filesystems: [filesystem(92)] })
    expect(await said()).toEqual({ stories: [1], messages: ['opened warning'] })
    await minute({ filesystems: [filesystem(97)] })
    expect(await said()).toEqual({ stories: [2], messages: ['opened critical'] })
    await minute({ filesystems: [filesystem(50)] })
    expect(await said()).toEqual({ stories: [], messages: ['resolved warning'] })
  })
})

describe('two causes are two stories with a notification each', () => {
  it('a full disk and another one', async () => {
    await minute({ filesystems: [filesystem(92), filesystem(10, '/srv')] })
    await minute({ filesystems: [filesystem(91), filesystem(97, '/srv')] })
    // The rule on 90 % has spoken of /var; what is found on /srv is news.
    expect(await said()).toEqual({ stories: [1, 1], messages: ['opened critical', 'opened warning'] })
  })

  it('containers with different problems', async () => {
    await minute({ entities: [web({}), web({}, 'db')] })
    await minute({ entities: [web({ oom_kills: 1 }), web({}, 'db')] })
    for (let index = 0; index < 7; index += 1) await minute({ entities: [web({ oom_kills: 1 }), web({ healthy: 0 }, 'db')] })
    expect(await said()).toEqual({ stories: [1, 1], messages: ['opened warning', 'opened warning'] })
  })
})
