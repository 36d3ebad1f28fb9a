import { sql } from 'kysely'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAlertFixture, type AlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import {
  type Credentials,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { startReceiver } from '../../../../test/receiver.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { publish } from '../../notifications/index.ts'
import type { Principal } from '../../../access/auth/index.ts'
import { createFeed, type Subscription } from '../feed.ts'
import { openStream } from './open-stream.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let alerts: AlertFixture
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  alerts = await createAlertFixture(backend, organization, admin)
})

const listed = async (after?: string, as = admin) =>
  (await backend.call('GET', `/v1/events${after === undefined ? '' : `?after=${after}`}`, { as })).body
/** Where to begin, and what is known until then: of that some may come again. */
async function begun() {
  const rows = await backend.pool.db
    .selectFrom('live_event')
    .select('id')
    .where('organization', '=', organization.number)
    .execute()
  const known = new Set(rows.map(({ id }) => encodeId('event', id)))
  const news = async (after: string): Promise<{ type: string; id: string }[]> => {
    const events: { type: string; id: string }[] = (await listed(after)).events
    return events.filter(({ id }) => !known.has(id) && known.add(id))
  }
  return { begin: (await listed()).last_event_id as string, news }
}
const typesOf = (events: { type: string }[]) => events.map(({ type }) => type)

const stream = (as = admin, headers: Record<string, string> = {}, on = backend) => openStream(on, as, headers)
/** Delivers new events to the streams: background jobs run only when a test calls them. */
const pollEvents = async (on = backend) => {
  await on.vedette.pollEvents()
}

describe('GET /v1/events', () => {
  it('gives what happened since an event; without one nothing, and where to begin [EVENT-06]', async () => {
    expect(await listed()).toEqual({ events: [], last_event_id: null, is_complete: true })
    const first = await alerts.open()
    const { begin, news } = await begun()
    expect(begin).toMatch(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    await alerts.resolve(first)
    await alerts.open()
    const since = await listed(begin)
    const events = await news(begin)
    expect([typesOf(events), since.is_complete]).toEqual([['incident.resolved', 'incident.opened'], true])
    expect(events[0]).toMatchObject({
      timestamp: new Date(backend.clock.now()).toISOString(),
      data: { incident: { status: 'resolved' } },
    })
    expect(await news(since.last_event_id)).toEqual([])
    const byHeader = await backend.call('GET', '/v1/events', { as: admin, headers: { 'last-event-id': begin } })
    expect(byHeader.body).toEqual(since)
  })

  it.each(['nonsense', 'evt_01h455vb4pex5vsknk084sn02q'])('says that something is missing behind %s', async (after) => {
    await alerts.open()
    expect(await listed(after)).toMatchObject({ events: [], is_complete: false, last_event_id: expect.stringMatching(/^evt_/) })
  })

  it('misses nothing that becomes visible later, although it began earlier', async () => {
    await alerts.open()
    const { begin, news } = await begun()
    const at = new Date(backend.clock.now())
    const data = { monitor: { name: 'slow' } }
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: stored, resolve: isStored } = Promise.withResolvers<void>()
    const slow = inTransaction(backend.pool.db, async (db) => {
      await publish(db, organization.number, { type: 'monitor.down', at, data })
      isStored()
      await held
    })
    await stored
    await alerts.open()
    const { last_event_id: here } = await listed(begin)
    expect(typesOf(await news(begin))).toEqual(['incident.opened'])
    letGo()
    await slow
    expect(typesOf(await news(here))).toEqual(['monitor.down'])
  })

  it('lists the status changes of monitors after they are evaluated', async () => {
    await alerts.open()
    const { last_event_id: begin } = await listed()
    const { id } = await alerts.call('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/' })
    await alerts.call('POST', `/v1/monitors/${id}/pause`)
    await alerts.call('POST', `/v1/monitors/${id}/resume`)
    await backend.jobs.evaluateSignals()
    const { events } = await listed(begin)
    expect(events).toMatchObject([{ type: 'monitor.up', data: { monitor: { id, name: 'Shop', status: 'up' } } }])
  })

  it('has each certificate that ends within two weeks, once', async () => {
    await alerts.open()
    const { last_event_id: begin } = await listed()
    const { id } = await alerts.call('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/' })
    const day = 86_400_000
    const renewed = async (ms: number) => {
      const own = backend.pool.db.updateTable('check_schedule').where('organization', '=', organization.number)
      await own.set({ certificate_expires_at: backend.clock.now() + ms }).execute()
      for (let times = 0; times < 2; times += 1) await backend.jobs.publishExpiringCertificates()
    }
    await renewed(14 * day + 1)
    expect((await listed(begin)).events).toEqual([])
    await renewed(14 * day)
    await renewed(3 * day)
    const { events } = await listed(begin)
    expect(events).toMatchObject([
      { type: 'certificate.expiring', data: { monitor: { id, name: 'Shop' }, certificate: { days_left: 14 } } },
      { type: 'certificate.expiring', data: { certificate: { days_left: 3 } } },
    ])
  })

  it('has that an agent still sends the token before the present one, once an hour [EVENT-09]', async () => {
    await alerts.channel('webhook', { url: 'https://hooks.example.com/', events: ['agent.token_refused'] })
    await alerts.open()
    const { last_event_id: begin } = await listed()
    const server = await backend.server(organization)
    const push = async (as: Credentials) => (await backend.call('POST', '/v1/agent/metrics', { as, body: {} })).status
    // The first push caches the token.
    expect(await push(server.as)).toBe(400)
    const renew = async () => {
      const { body } = await backend.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as: admin })
      return { 'x-api-key': body.token as string }
    }
    const second = await renew()
    const heard = async () => typesOf((await listed(begin)).events).filter((type) => type.startsWith('agent'))
    for (let times = 0; times < 2; times += 1) expect(await push(server.as)).toBe(401)
    expect(await heard()).toHaveLength(1)
    expect((await listed(begin)).events.at(-1)).toMatchObject({ data: { server: { id: server.id, name: expect.any(String) } } })
    expect((await alerts.waiting()).map(({ payload: { incident_id } }) => incident_id)).toEqual([null])
    expect(await push(second)).toBe(400)
    backend.clock.advance(3_599_000)
    expect(await push(server.as)).toBe(401)
    expect(await heard()).toHaveLength(1)
    backend.clock.advance(1_000)
    expect(await push(server.as)).toBe(401)
    expect(await heard()).toHaveLength(2)
    // The last one alone is known, and none of a server that is deleted.
    await renew()
    expect([await push(server.as), await push(second)]).toEqual([401, 401])
    expect(await heard()).toHaveLength(3)
    await backend.call('DELETE', `/v1/servers/${server.id}`, { as: admin })
    backend.clock.advance(3_600_000)
    expect(await push(second)).toBe(401)
    expect(await heard()).toHaveLength(3)
  })

  it('has a machine that registers again, also for webhooks that subscribe to it', async () => {
    await alerts.channel('webhook', { url: 'https://hooks.example.com/', events: ['agent.reregistered'] })
    const server = await backend.server(organization)
    await alerts.open()
    const { last_event_id: begin } = await listed()
    const { machine_id } = (await backend.call('GET', `/v1/servers/${server.id}`, { as: admin })).body
    const as = await backend.apiKey(organization, 'agent')
    const body = registration(machine_id, { hostname: 'again' })
    expect((await backend.call('POST', '/v1/agent/register', { as, body })).status).toBe(200)
    expect((await listed(begin)).events).toMatchObject([
      { type: 'agent.reregistered', data: { server: { id: server.id, name: 'again' } } },
    ])
    expect((await alerts.waiting()).map(({ payload: { incident_id } }) => incident_id)).toEqual([null])
  })

  it('hides events from other organizations, and events of members from callers that may not read members', async () => {
    await alerts.open()
    const { last_event_id: begin } = await listed()
    const outsider = await backend.apiKey(await backend.organization(), 'admin')
    await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, {
      as: admin,
      body: { email: 'eve@example.com', role: 'viewer' },
    })
    expect(typesOf((await listed(begin)).events)).toEqual(['member.invited'])
    const reader = await backend.apiKey(organization, 'read')
    expect((await listed(begin, reader)).events).toEqual([])
    expect(await listed(begin, outsider)).toMatchObject({ events: [], is_complete: false })
    expect((await backend.call('GET', '/v1/events', { as: await backend.apiKey(organization, 'write') })).status).toBe(403)
    expect((await backend.call('GET', '/v1/events')).status).toBe(401)
  })
})

describe('a stream of events', () => {
  it('has what happens while it is open, with the limits in its headers [EVENT-01, EVENT-03]', async () => {
    const one = await stream()
    expect(one.response.status).toBe(200)
    expect(one.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(one.response.headers.get('x-ratelimit-limit')).not.toBeNull()
    await alerts.open()
    await pollEvents()
    const heard = await one.next()
    expect(heard).toMatchObject({ event: 'incident.opened', id: heard?.data.id, data: { type: 'incident.opened' } })
    one.close()
  })

  it('goes on behind `Last-Event-ID` with what was missed, then with what is new, each once [EVENT-02]', async () => {
    const first = await stream()
    const id = await alerts.open()
    await pollEvents()
    const seen = await first.next()
    first.close()
    await alerts.acknowledge(id)
    const second = await stream(admin, { 'last-event-id': seen?.id ?? '' })
    await pollEvents()
    await alerts.resolve(id)
    await pollEvents()
    expect([(await second.next())?.event, (await second.next())?.event]).toEqual(['incident.acknowledged', 'incident.resolved'])
    second.close()
  })

  it('says so where it cannot know what was missed', async () => {
    const one = await stream(admin, { 'last-event-id': 'evt_01h455vb4pex5vsknk084sn02q' })
    expect((await one.next())?.event).toBe('stream.gap')
    one.close()
  })

  it('has what another instance stored, and nothing of another organization', async () => {
    const second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const other = await backend.organization()
    const strange = await createAlertFixture(backend, other, await backend.apiKey(other, 'admin'))
    const one = await stream(admin, {}, second)
    await strange.open()
    await alerts.open()
    await pollEvents(second)
    expect((await one.next())?.data.data['incident']).toMatchObject({ rule_id: alerts.ruleId })
    one.close()
    await second.close()
  })

  /** More than one statement reads. */
  const storeMany = async (): Promise<void> => {
    await sql`
      insert into live_event (organization, at, id, transaction_id, settled_before, type, data)
      select ${organization.number}, ${new Date(backend.clock.now())}, gen_random_uuid(), pg_current_xact_id(),
        pg_snapshot_xmin(pg_current_snapshot()), 'monitor.down', '{}'
      from generate_series(1, 5100)`.execute(backend.pool.db)
  }

  it('has more at once than one statement reads, and what comes then', async () => {
    const one = await stream()
    await storeMany()
    await pollEvents()
    for (let count = 0; count < 5_100; count += 1) expect((await one.next())?.event).toBe('monitor.down')
    await alerts.open()
    await pollEvents()
    expect((await one.next())?.event).toBe('incident.opened')
    one.close()
  })

  it('has each once where the database fails between two statements', async () => {
    let pages = 0
    const db = backend.pool.db.withPlugin({
      transformQuery: ({ node }) => {
        if (pages !== 1) return node
        pages += 1
        throw new Error('gone')
      },
      transformResult: async ({ result }) => {
        if (result.rows.length === 5_000) pages += 1
        return result
      },
    })
    const authenticator = { refresh: async (principals: readonly Principal[]) => [...principals] }
    const feed = createFeed({ db, clock: backend.clock, log: silentLog, changes: NO_ANNOUNCEMENTS, authenticator })
    const heard: string[] = []
    const tenant = { number: organization.number, id: organization.id }
    const principal: Principal = {
      kind: 'api_key',
      keyId: '',
      hash: Buffer.alloc(0),
      tenant,
      scopes: ['read'],
      allowedCidrs: [],
      series: { jobKind: null, dedupLabel: null, dropLabels: [] },
    }
    const subscription: Subscription = { principal, deliver: ({ id }) => void heard.push(id), end: () => undefined }
    const end = await feed.subscribe(subscription)
    await storeMany()
    await expect(feed.poll()).rejects.toThrow('gone')
    expect(heard).toHaveLength(5_000)
    await feed.poll()
    expect([heard.length, new Set(heard).size]).toEqual([5_100, 5_100])
    end()
    await feed.stop()
  })

  it('leaves nothing behind where the database fails at its start', async () => {
    let isAway = true
    const db = backend.pool.db.withPlugin({
      transformQuery: ({ node }) => {
        if (isAway) throw new Error('gone')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const refreshed: number[] = []
    const refresh = async (principals: readonly Principal[]) => {
      refreshed.push(principals.length)
      return [...principals]
    }
    const feed = createFeed({ db, clock: backend.clock, log: silentLog, changes: NO_ANNOUNCEMENTS, authenticator: { refresh } })
    const tenant = { number: organization.number, id: organization.id }
    const principal: Principal = {
      kind: 'api_key',
      keyId: '',
      hash: Buffer.alloc(0),
      tenant,
      scopes: ['read'],
      allowedCidrs: [],
      series: { jobKind: null, dedupLabel: null, dropLabels: [] },
    }
    const subscription = (): Subscription => ({ principal, deliver: () => undefined, end: () => undefined })
    await expect(feed.subscribe(subscription())).rejects.toThrow('gone')
    isAway = false
    const end = await feed.subscribe(subscription())
    await feed.poll()
    expect(refreshed).toEqual([1])
    end()
    await feed.stop()
  })

  it('ends when the backend does', async () => {
    const second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const one = await stream(admin, {}, second)
    await second.close()
    expect(await one.next()).toBeUndefined()
  })
})

describe('a webhook that lists its events', () => {
  it('receives only those events, and only events of incidents when it lists none [EVENT-07]', async () => {
    const [all, some, plain] = [await startReceiver(), await startReceiver(), await startReceiver()]
    await alerts.channel('webhook', { url: all.url, events: ['incident.resolved', 'monitor.down', 'member.invited'] })
    await alerts.channel('webhook', { url: some.url, events: ['incident.opened'] })
    await alerts.channel('webhook', { url: plain.url })
    await alerts.resolve(await alerts.open())
    const at = new Date(backend.clock.now())
    const data = { monitor: { id: 'mon_1', name: 'Shop', status: 'down', reason: 'no answer' } }
    await inTransaction(backend.pool.db, (db) => publish(db, organization.number, { type: 'monitor.down', at, data }))
    await alerts.call('POST', `/v1/organizations/${organization.id}/members/invite`, { email: 'ada@example.com', role: 'viewer' })
    await alerts.deliver()
    const receivedTypes = ({ received }: typeof all) =>
      received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted()
    expect(receivedTypes(some)).toEqual(['incident.opened'])
    expect(receivedTypes(plain)).toEqual(['incident.opened', 'incident.resolved'])
    expect(receivedTypes(all)).toEqual(['incident.resolved', 'member.invited', 'monitor.down'])
    const body = JSON.parse(all.received.find(({ body: text }) => text.includes('monitor.down'))?.body ?? '')
    expect(body).toEqual({ type: 'monitor.down', timestamp: at.toISOString(), data })
    await Promise.all([all, some, plain].map((one) => one.close()))
  })

  it.each([[['nonsense']], [[]], [['monitor.down', 'monitor.down']], ['monitor.down']])('is a 400 for %j', async (events) => {
    const config = { url: 'https://hooks.example.com/', events }
    const { status } = await backend.call('POST', '/v1/channels', { as: admin, body: { name: 'a', type: 'webhook', config } })
    expect(status).toBe(400)
    const slack = { name: 'a', type: 'slack', config: { url: 'https://hooks.example.com/', events: ['monitor.down'] } }
    expect((await backend.call('POST', '/v1/channels', { as: admin, body: slack })).body.error.details[0].path).toBe(
      'config.events',
    )
  })
})
