import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { isWhole } from '../../../../test/deal.ts'
import { holdBy } from '../../../../test/database-locks.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let receiver: Receiver
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})
beforeEach(async () => {
  await backend.pool.pg.query('delete from open_incident')
  await backend.pool.pg.query('delete from notification_delivery')
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  receiver.received.length = 0
})

const call = async (method: string, url: string, body?: unknown) => {
  const answer = await backend.call(method, url, { as: admin, body })
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
interface Source {
  id: string
  token: string
  address: string
}
const sourceOf = (own: object = {}): Promise<Source> =>
  call('POST', '/v1/alert-sources', { name: 'Prometheus', type: 'alertmanager', ...own })
const alertOf = (name: string, own: object = {}) => ({
  status: 'firing',
  labels: { alertname: name, severity: 'critical', team: 'shop' },
  annotations: { summary: `${name} is slow`, description: 'since noon' },
  startsAt: '2026-11-21T08:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example/graph',
  ...own,
})
const post = (source: { token: string }, alerts: object[]) =>
  backend.call('POST', `/v1/in/${source.token}`, { body: { version: '4', alerts } })
const incidents = async (query = '') => (await call('GET', `/v1/incidents${query}`)).incidents
const deliver = async () => {
  await backend.jobs.startDeliveries()
  await backend.jobs.idle()
}
const channel = async (): Promise<string> =>
  (await call('POST', '/v1/channels', { name: 'hook', type: 'webhook', config: { url: receiver.url } })).id

/** Statements that a work costs. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counted: { client: pg.PoolClient; query: pg.PoolClient['query'] }[] = []
  const onAcquire = (client: pg.PoolClient) => {
    if (counted.some((one) => one.client === client)) return
    const { query } = client
    counted.push({ client, query })
    client.query = ((...given: Parameters<typeof query>) => {
      count += 1
      return query.apply(client, given)
    }) as typeof query
  }
  backend.pool.pg.on('acquire', onAcquire)
  try {
    await work()
    return count
  } finally {
    backend.pool.pg.off('acquire', onAcquire)
    for (const { client, query } of counted) client.query = query
  }
}

describe('alerts of a sender', () => {
  it('open an incident that notifies, and end it', async () => {
    const source = await sourceOf({ channel_ids: [await channel()], tag_labels: ['team'] })
    const answer = await post(source, [alertOf('Shop')])
    expect([answer.status, answer.body]).toEqual([200, { taken: 1, opened: 1, resolved: 0, faults: [] }])
    const [incident] = await incidents()
    expect(incident).toMatchObject({
      rule_id: null,
      origin: { type: 'source', id: source.id },
      target: { type: 'external', name: 'Shop is slow', url: 'https://prometheus.example/graph' },
      severity: 'critical',
      summary: 'Shop is slow',
      labels: { alertname: 'Shop', severity: 'critical', team: 'shop' },
      status: 'open',
    })
    await deliver()
    const details = await call('GET', `/v1/incidents/${incident.id}`)
    expect(details.evidence).toMatchObject({ text: 'since noon', started_at: '2026-11-21T08:00:00.000Z', labels_cut: 0 })
    await post(source, [alertOf('Shop', { status: 'resolved', endsAt: '2026-11-21T09:00:00Z' })])
    await deliver()
    const sent = receiver.received.map(({ body }) => JSON.parse(body))
    expect(sent.map(({ type }) => type)).toEqual(['incident.opened', 'incident.resolved'])
    expect(sent[0].data.incident).toMatchObject({ origin: { type: 'source' }, labels: { team: 'shop' } })
    expect((await call('GET', `/v1/incidents/${incident.id}`)).status).toBe('resolved')
    expect((await call('GET', `/v1/incidents/${incident.id}/story`)).affected.targets).toMatchObject([{ type: 'external' }])
  })

  it('are found by their labels, tags and target', async () => {
    const source = await sourceOf({ tags: ['prod'], tag_labels: ['team'] })
    await post(source, [alertOf('One'), alertOf('Two', { labels: { alertname: 'Two', team: 'a=b' } })])
    const found = async (query: string) => (await incidents(query)).map(({ summary }: { summary: string }) => summary).toSorted()
    expect(await found('?tag=label:team=shop')).toEqual(['One is slow'])
    expect(await found('?tag=label:team=a=b')).toEqual(['Two is slow'])
    expect(await found('?tag=team:shop&tag=prod')).toEqual(['One is slow'])
    expect(await found('?tag=label:team=other')).toEqual([])
    const [{ target }] = await incidents('?tag=team:shop')
    expect(await found(`?target=${target.id}`)).toEqual(['One is slow'])
  })

  it('go to the policy of the first route whose labels they have, else to that of their source', async () => {
    const channelId = await channel()
    const policyOf = async (name: string): Promise<string> =>
      (await call('POST', '/v1/escalation-policies', { name, steps: [{ channel_ids: [channelId] }] })).id
    const [usual, shop, mail] = await Promise.all(['usual', 'shop', 'mail'].map(policyOf))
    const routes = [
      { labels: { team: 'shop', env: 'prod' }, escalation_policy_id: shop },
      { labels: { team: 'mail' }, escalation_policy_id: mail },
    ]
    const source = await sourceOf({ escalation_policy_id: usual, routes })
    expect(await call('GET', `/v1/alert-sources/${source.id}`)).toMatchObject({ routes, escalation_policy_id: usual })
    const labelled = (name: string, labels: object) => alertOf(name, { labels: { alertname: name, ...labels } })
    await post(source, [
      labelled('A', { team: 'shop', env: 'prod' }),
      labelled('B', { team: 'shop' }),
      labelled('C', { team: 'mail', env: 'prod' }),
      labelled('D', {}),
    ])
    const { rows } = await backend.pool.pg.query(
      `select i.external -> 'labels' ->> 'alertname' as alert, p.name from incident as i
       join escalation_policy as p on p.organization = i.organization and p.id = i.escalation_policy_id
       where i.rule_id = $1 order by 1`,
      [parseId('alertSource', source.id)],
    )
    expect(rows.map(({ alert, name }) => [alert, name])).toEqual([
      ['A', 'shop'],
      ['B', 'usual'],
      ['C', 'mail'],
      ['D', 'usual'],
    ])
    expect((await backend.call('DELETE', `/v1/escalation-policies/${mail}`, { as: admin })).body.error).toMatchObject({
      code: 'conflict',
      message: 'Routes of alert sources name the policy. Change them first.',
    })
    const unknown = await backend.call('PATCH', `/v1/alert-sources/${source.id}`, {
      as: admin,
      body: { routes: [routes[0], { labels: { a: 'b' }, escalation_policy_id: source.id }] },
    })
    expect([unknown.status, unknown.body.error.details]).toEqual([
      400,
      [{ path: 'routes.1.escalation_policy_id', message: 'is not an escalation policy of this organization' }],
    ])
    expect(await call('PATCH', `/v1/alert-sources/${source.id}`, { routes: [] })).toMatchObject({ routes: [] })
  })

  it('that are sent again write nothing and cost two statements', async () => {
    const source = await sourceOf()
    const alerts = Array.from({ length: 500 }, (_, index) => alertOf(`a${index}`))
    await post(source, alerts)
    const versions = async () =>
      (await backend.pool.pg.query('select xmin, xmax from open_incident union all select xmin, xmax from alert_source')).rows
    const before = await versions()
    const statements = await statementsOf(async () => expect((await post(source, alerts)).body.opened).toBe(0))
    expect(statements).toBe(2)
    expect(await versions()).toEqual(before)
  })

  it('that are more than one statement stores all open, and each is notified once', async () => {
    const source = await sourceOf({ channel_ids: [await channel()], max_open: 20_000 })
    const alerts = Array.from({ length: 2_600 }, (_, index) => ({ labels: { alertname: `a${index}` }, status: 'firing' }))
    const counts = async () => {
      const tables = ['open_incident', 'incident_event', 'notification_delivery', 'live_event']
      const counted = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`)
      return Object.values((await backend.pool.pg.query<Record<string, number>>(`select ${counted.join(', ')}`)).rows[0] ?? {})
    }
    const before = await counts()
    expect((await post(source, alerts)).body).toMatchObject({ taken: 2_600, opened: 2_600 })
    expect((await counts()).map((count, index) => count - (before[index] ?? 0))).toEqual(Array(4).fill(2_600))
  })

  it('cost as many statements when they are many', async () => {
    const ids = [await channel()]
    const cost = async (count: number) => {
      const source = await sourceOf({ channel_ids: ids, max_open: 20_000 })
      const alerts = Array.from({ length: count }, (_, index) => ({ labels: { alertname: `a${index}` }, status: 'firing' }))
      const opening = await statementsOf(async () => expect((await post(source, alerts)).body.opened).toBe(count))
      const over = alerts.map((alert) => ({ ...alert, status: 'resolved' }))
      const ending = await statementsOf(async () => expect((await post(source, over)).body.resolved).toBe(count))
      return [opening, ending]
    }
    const few = await cost(2)
    const before = process.cpuUsage()
    const many = isWhole ? 5_000 : 500
    expect(await cost(many)).toEqual(few)
    const { user, system } = process.cpuUsage(before)
    console.info(
      `figure: ${many} alerts opened and resolved: ${(user + system) / 1_000} ms of CPU, ${few.join(' and ')} statements`,
    )
  })

  it('beyond the bound open one incident that says so', async () => {
    const source = await sourceOf({ max_open: 2 })
    const alerts = Array.from({ length: 10 }, (_, index) => alertOf(`a${index}`))
    expect((await post(source, alerts)).body.opened).toBe(2)
    const said = async () => (await incidents('?q=max_open'))[0]
    expect(await said()).toMatchObject({
      summary: 'Prometheus: 8 alerts opened no incident, 2 are open (max_open)',
      status: 'open',
    })
    await post(source, [...alerts, alertOf('b')])
    expect((await said()).summary).toMatch(/: 9 alerts/)
    await post(
      source,
      alerts.map((alert) => ({ ...alert, status: 'resolved' })),
    )
    expect((await said()).status).toBe('resolved')
  })

  it('that come at once stay within the bound together', async () => {
    const source = await sourceOf({ max_open: 1 })
    const hold = await holdBy(backend.databaseUrl, 'select from alert_source for no key update')
    const both = Promise.all(['a', 'b'].map((name) => post(source, [alertOf(name)])))
    await hold.untilWaiting(2, both)
    await hold.release()
    expect((await both).map(({ body }) => body.opened).toSorted((one, other) => one - other)).toEqual([0, 1])
  })

  it('are over when they are not sent again', async () => {
    const source = await sourceOf({ resolve_after_seconds: 300 })
    await post(source, [alertOf('a')])
    backend.clock.advance(299_000)
    await backend.jobs.resolveEndedAlerts()
    expect((await incidents())[0].status).toBe('open')
    backend.clock.advance(77_000)
    await backend.jobs.resolveEndedAlerts()
    expect((await incidents())[0].status).toBe('resolved')
  })

  it('stay resolved by hand until their sender ends them', async () => {
    const source = await sourceOf()
    await post(source, [alertOf('a')])
    await call('POST', `/v1/incidents/${(await incidents())[0].id}/resolve`, {})
    expect((await post(source, [alertOf('a')])).body.opened).toBe(0)
    await post(source, [alertOf('a', { status: 'resolved' })])
    expect((await post(source, [alertOf('a')])).body.opened).toBe(1)
  })

  it('about a host that is known have its state, and are children while it is offline', async () => {
    const host = await measure(backend, organization)
    await host.sends({ 'cpu.percent': [95] })
    const source = await sourceOf()
    await post(source, [alertOf('Disk', { labels: { alertname: 'Disk', instance: 'web-1:9100' } })])
    const [incident] = await incidents()
    expect(incident.target).toMatchObject({ type: 'external', name: 'web-1:9100' })
    const { evidence } = await call('GET', `/v1/incidents/${incident.id}`)
    expect(evidence).toMatchObject({ server: { id: host.id, name: 'web-1' }, host: { server_id: host.id } })
    expect(await incidents(`?target=${host.id}`)).toHaveLength(1)
  })

  it('with the labels that a source groups by are one story, notified once', async () => {
    const source = await sourceOf({ channel_ids: [await channel()], group_by: ['alertname'] })
    const one = (instance: string, status = 'firing') =>
      alertOf('Down', { status, labels: { alertname: 'Down', instance, severity: 'critical' } })
    await post(source, [one('a'), one('b')])
    await post(source, [one('c')])
    const [story, ...others] = await incidents('?group=story')
    expect([story.incident_count, others.length, story.cause]).toEqual([
      3,
      0,
      { kind: 'labels', text: 'alerts with alertname=Down' },
    ])
    expect(story.affected.total).toBe(3)
    await deliver()
    expect(receiver.received).toHaveLength(1)
    await post(source, [one('a', 'resolved'), one('b', 'resolved')])
    await deliver()
    expect(receiver.received).toHaveLength(1)
    await post(source, [one('c', 'resolved')])
    await deliver()
    expect(receiver.received).toHaveLength(2)
  })

  it('are acknowledged and escalated by a policy with their tags', async () => {
    const member = await backend.member(organization, 'member')
    const made = await backend.call('POST', '/v1/contact-methods', {
      as: member,
      body: { type: 'ntfy', config: { url: receiver.url, topic: 'ada' } },
    })
    expect(made.status).toBe(201)
    const { id: userId } = (await backend.call('GET', '/v1/auth/me', { as: member })).body
    await call('POST', '/v1/escalation-policies', { name: 'Shop', tags: ['team:shop'], steps: [{ user_ids: [userId] }] })
    const source = await sourceOf({ tag_labels: ['team'] })
    await post(source, [alertOf('a'), alertOf('b', { labels: { alertname: 'b' } })])
    await deliver()
    expect(receiver.received.map(({ body }) => JSON.parse(body).title)).toEqual(['a is slow'])
  })
})

describe('an alert source', () => {
  it('shows its token once, and a rotation ends the old one at once', async () => {
    const source = await sourceOf()
    expect(source.token).toMatch(/^vdt_in_/)
    expect(source.address).toMatch(new RegExp(`/v1/in/${source.token}$`))
    const read = await call('GET', `/v1/alert-sources/${source.id}`)
    expect([read.token, read.address]).toEqual([undefined, expect.stringMatching(/\/v1\/in\/•••$/)])
    const rotated = await call('POST', `/v1/alert-sources/${source.id}/rotate-token`)
    expect((await post(source, [])).status).toBe(404)
    expect((await post(rotated, [])).status).toBe(200)
  })

  it('takes its token in a header too', async () => {
    const { token } = await sourceOf()
    const body = { alerts: [] }
    const status = async (authorization: string) =>
      (await backend.call('POST', '/v1/in', { body, headers: { authorization } })).status
    expect(await status(`Bearer ${token}`)).toBe(200)
    expect(await status(`Basic ${Buffer.from(`vedette:${token}`).toString('base64')}`)).toBe(200)
    expect(await status('Bearer vdt_in_x')).toBe(401)
    expect((await backend.call('POST', '/v1/in', { body })).status).toBe(401)
  })

  it('is unknown once it is disabled or deleted, which resolves its incidents, and comes back', async () => {
    const source = await sourceOf()
    await post(source, [alertOf('a')])
    await call('PATCH', `/v1/alert-sources/${source.id}`, { enabled: false })
    expect((await incidents())[0].status).toBe('resolved')
    expect((await post(source, [alertOf('a')])).status).toBe(404)
    await call('PATCH', `/v1/alert-sources/${source.id}`, { enabled: true })
    expect((await post(source, [alertOf('a')])).body.opened).toBe(1)
    await call('DELETE', `/v1/alert-sources/${source.id}`)
    expect((await post(source, [alertOf('a')])).status).toBe(404)
    expect(await incidents('?status=open')).toEqual([])
    await call('POST', `/v1/alert-sources/${source.id}/restore`)
    expect((await post(source, [alertOf('a')])).body.opened).toBe(1)
  })

  it('counts what it takes, also muted, and keeps the last ten requests without secrets', async () => {
    const source = await sourceOf({ muted: true })
    await backend.call('POST', `/v1/in/${source.token}`, {
      body: { alerts: [alertOf('a')], password: 'hunter2', own: source.token },
    })
    await post(source, [alertOf('a')])
    expect(await call('GET', `/v1/alert-sources/${source.id}`)).toMatchObject({
      received_count: 2,
      last_received_at: expect.any(String),
    })
    expect(await incidents()).toEqual([])
    const { samples } = await call('GET', `/v1/alert-sources/${source.id}/samples`)
    expect(samples).toMatchObject([{ opened: 0, resolved: 0, faults: [] }])
    expect(samples[0].body).not.toMatch(/hunter2|vdt_in_[0-9A-Za-z]/)
    await call('PATCH', `/v1/alert-sources/${source.id}`, { muted: false })
    for (let index = 0; index < 12; index += 1) await post(source, [alertOf(`b${index}`), { labels: {} }])
    const kept = (await call('GET', `/v1/alert-sources/${source.id}/samples`)).samples
    expect(kept).toHaveLength(10)
    expect(kept[0]).toMatchObject({ opened: 1, faults: ['alerts.1 has no labels'] })
  })

  it('is tried by an incident that opens and ends', async () => {
    const source = await sourceOf({ channel_ids: [await channel()] })
    const { incident_id: id } = await call('POST', `/v1/alert-sources/${source.id}/test`)
    expect(await call('GET', `/v1/incidents/${id}`)).toMatchObject({ status: 'resolved', severity: 'info' })
    await deliver()
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['incident.opened', 'incident.resolved'])
  })

  it('of any JSON reads what its templates make of it', async () => {
    const template = { key: '{{ body.check }}', title: '{{ body.check }} on {{ body.host }}', status: '{{ body.state }}' }
    const source = await sourceOf({ type: 'generic', template })
    const send = (state: string) =>
      backend.call('POST', `/v1/in/${source.token}`, { body: { check: 'disk', host: 'nas', state, url: 'javascript:1' } })
    expect((await send('bad')).body.opened).toBe(1)
    expect((await incidents())[0]).toMatchObject({ summary: 'disk on nas', severity: 'warning', target: { url: null } })
    expect((await send('OK')).body.resolved).toBe(1)
  })

  it.each<[string, object, string, RegExp]>([
    ['a template of another type', { template: { title: 'x' } }, 'template', /of the type generic alone/],
    [
      'a template that is none',
      { type: 'generic', template: { title: '{{ x | nothing }}' } },
      'template.title',
      /no Liquid template/,
    ],
    ['299 s', { resolve_after_seconds: 299 }, 'resolve_after_seconds', /300/],
    ['no open incidents', { max_open: 0 }, 'max_open', /1/],
    ['too many', { max_open: 20_001 }, 'max_open', /20,?000/],
    ['a severity that is none', { severity_map: { a: 'bad' } }, 'severity_map.a', /critical/],
    ['an unknown channel', { channel_ids: ['chn_x'] }, 'channel_ids.0', /not a channel/],
  ])('refuses %s', async (_, own, path, message) => {
    const body = { name: 'x', type: 'alertmanager', ...own }
    const answer = await backend.call('POST', '/v1/alert-sources', { as: admin, body })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details).toMatchObject([{ path, message: expect.stringMatching(message) }])
  })

  it.each<[string, unknown, number]>([
    ['no JSON', '{', 400],
    ['a list', [], 400],
    ['another object', { hello: 1 }, 400],
    ['nothing', undefined, 400],
  ])('answers %s with a fault', async (_, body, status) => {
    const source = await sourceOf()
    const headers = { 'content-type': 'text/plain' }
    expect((await backend.call('POST', `/v1/in/${source.token}`, { body, headers })).status).toBe(status)
  })

  it('may send as much as in five minutes at once', async () => {
    const environment = { VEDETTE_RATE_LIMITS: 'ping=2' }
    const limited = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    try {
      const source = await sourceOf()
      const answers = []
      for (let index = 0; index < 12; index += 1)
        answers.push(await limited.call('POST', `/v1/in/${source.token}`, { body: { alerts: [] } }))
      expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])
      expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })
})
