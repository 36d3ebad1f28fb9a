import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAlertFixture, type AlertFixture } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let admin: Credentials
let receiver: Receiver
let alerts: AlertFixture
beforeAll(async () => {
  const environment = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }
  backend = await startTestBackend({ environment })
  second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
})
afterAll(async () => {
  await second.close()
  await backend.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  receiver = await startReceiver()
  alerts = await createAlertFixture(backend, organization, admin)
  return () => receiver.close()
})

const seconds = (count: number) => backend.clock.advance(count * 1_000)
const openMany = async (count: number, own: object = {}): Promise<string[]> => {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push(await alerts.open({ target_name: `m${index}`, ...own }))
  return ids
}
interface Received {
  type: string
  data: { incident: { id: string }; incidents?: { id: string }[]; total?: number }
}
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Received)
/** How many incidents each message is about. */
const sizes = () => bodies().map(({ type, data }) => `${type.slice(9)} ${data.total ?? 1}`)
/** The incidents that messages named, each as often as it was named. */
const named = () => bodies().flatMap(({ data }) => (data.incidents ?? [data.incident]).map(({ id }) => id))
const encoded = (ids: readonly string[]) => ids.map((id) => encodeId('incident', id)).toSorted()
const refusing = () => receiver.answer((response) => void response.writeHead(500).end('no'))
const taking = () => receiver.answer((response) => void response.writeHead(204).end())
/** As when a process dies with the leases of its deliveries. */
const dropLeases = () =>
  sql`update notification_delivery set next_attempt_at = ${new Date(backend.clock.now())}
    where organization = ${organization.number} and next_attempt_at < '9000-01-01'`.execute(backend.pool.db)

describe('incidents that open for one channel', () => {
  it('are sent one at once, and all of the next 60 s in one message', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const first = await openMany(1)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 1'])
    seconds(20)
    const more = await openMany(3)
    await alerts.deliver()
    seconds(39)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 1'])
    seconds(1)
    await alerts.deliver()
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 1', 'opened 3'])
    expect(named().toSorted()).toEqual(encoded([...first, ...more]))
    expect(await alerts.waiting()).toEqual([])
  })

  it('are sent in one message at once where they open together, and the next ones 60 s later', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    await openMany(5)
    await alerts.deliver()
    await openMany(1)
    await alerts.deliver()
    seconds(60)
    await alerts.deliver()
    seconds(61)
    await openMany(1)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 5', 'opened 1', 'opened 1'])
  })

  it('wait for no group of lesser ones where they are critical, and for those of their own', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    await openMany(1, { severity: 'info' })
    await alerts.deliver()
    seconds(5)
    const [lesser, critical] = [await openMany(1, { severity: 'warning' }), await openMany(2, { severity: 'critical' })]
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 1', 'opened 2'])
    expect(named().slice(1).toSorted()).toEqual(encoded(critical))
    seconds(5)
    const later = await openMany(1, { severity: 'critical' })
    await alerts.deliver()
    expect(sizes()).toHaveLength(2)
    seconds(50)
    await alerts.deliver()
    expect(named().slice(3)).toEqual(encoded(lesser))
    seconds(5)
    await alerts.deliver()
    expect(named().slice(4)).toEqual(encoded(later))
  })

  it('end together likewise, after the message of their opening', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const ids = await openMany(3)
    await alerts.deliver()
    for (const id of ids) await alerts.resolve(id)
    const late = await openMany(1)
    await alerts.resolve(late[0] as string)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 3', 'resolved 3'])
    seconds(60)
    await alerts.deliver()
    await alerts.deliver()
    expect(sizes().slice(2)).toEqual(['opened 1', 'resolved 1'])
  })

  it('name at most 100 in the body, and have the number of all', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    await openMany(130)
    await alerts.deliver()
    const [message] = bodies()
    expect([message?.data.total, message?.data.incidents?.length]).toEqual([130, 100])
    expect(await alerts.waiting()).toEqual([])
  })

  it('are each sent alone to services that group by themselves, and acknowledgements and reminders to all', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const ids = await openMany(2)
    await alerts.deliver()
    for (const id of ids) await alerts.acknowledge(id)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 2', 'acknowledged 1', 'acknowledged 1'])
    const { CHANNEL_KINDS } = await import('../index.ts')
    expect(
      Object.keys(CHANNEL_KINDS).filter((type) => CHANNEL_KINDS[type as keyof typeof CHANNEL_KINDS].takesEachIncident),
    ).toEqual(['pagerduty', 'opsgenie', 'splunk_oncall', 'grafana_oncall'])
  })

  it('of other channels and organizations do not wait for each other', async () => {
    await alerts.channel('webhook', { url: receiver.url }, 'one')
    await openMany(1)
    await alerts.deliver()
    await alerts.channel('webhook', { url: receiver.url }, 'other')
    await openMany(1)
    await alerts.deliver()
    expect(sizes()).toEqual(['opened 1', 'opened 1'])
  })
})

describe('a group', () => {
  it('has the same content and id in each retry: what opens meanwhile is sent later', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    refusing()
    await openMany(2)
    await alerts.deliver()
    await openMany(1)
    seconds(10)
    await alerts.deliver()
    taking()
    seconds(60)
    for (let times = 0; times < 3; times += 1) await alerts.deliver()
    expect(new Set(sizes())).toEqual(new Set(['opened 2', 'opened 1']))
    const ofTwo = receiver.received.filter(({ body }) => (JSON.parse(body) as Received).data.total === 2)
    expect(new Set(ofTwo.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(ofTwo.map(({ body }) => body)).size).toBe(1)
    expect(await alerts.waiting()).toEqual([])
  })

  it('is sent by another process where the first one dies after it was formed', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    refusing()
    const ids = await openMany(3)
    await alerts.deliver()
    taking()
    await dropLeases()
    await second.jobs.startDeliveries()
    await second.jobs.idle()
    expect(sizes()).toEqual(['opened 3', 'opened 3'])
    expect(new Set(named())).toEqual(new Set(encoded(ids)))
    expect(await alerts.waiting()).toEqual([])
  })

  it('is formed once by several processes: each incident is named once', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    const ids: string[] = []
    for (let round = 0; round < 6; round += 1) {
      ids.push(...(await openMany(7)))
      seconds(round % 2 === 0 ? 13 : 61)
      await Promise.all([backend, second].map(({ jobs }) => jobs.startDeliveries()))
      await Promise.all([backend, second].map(({ jobs }) => jobs.idle()))
    }
    seconds(61)
    await alerts.deliver()
    await alerts.deliver()
    expect(named().toSorted()).toEqual(encoded(ids))
    expect(await alerts.waiting()).toEqual([])
  })

  it('is given up as a whole after a day, which the audit log reports', async () => {
    await alerts.channel('webhook', { url: receiver.url })
    refusing()
    await openMany(3)
    await alerts.deliver()
    for (let hour = 0; hour < 30; hour += 1) {
      seconds(3_600)
      await alerts.deliver()
    }
    expect(await alerts.waiting()).toEqual([])
    const { audit_events: entries } = (await backend.call('GET', '/v1/audit-events?action=notification.failed', { as: admin }))
      .body
    expect(entries.map(({ details }: { details: object }) => details)).toEqual([expect.objectContaining({ other_incidents: 2 })])
  })
})
