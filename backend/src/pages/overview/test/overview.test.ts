import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { recordExport } from '../../../operating/archive/index.ts'
import { insertEvent } from '../../../notifying/event-stream/index.ts'
import { newId, parseId } from '../../../platform/ids.ts'

const DAY = 86_400_000

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials & { userId: string }
beforeAll(async () => {
  backend = await startTestBackend({ version: '0.1.0' })
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
})
afterAll(() => backend.close())

const read = async (as: Credentials = owner) => {
  const { status, body } = await backend.call('GET', '/v1/overview', { as })
  expect(status).toBe(200)
  return body
}
const now = () => backend.clock.now()

async function makeMonitor(name: string, status: 'up' | 'down' | 'degraded' | 'paused', sinceMs: number): Promise<string> {
  const body = { name, url: 'https://example.com/' }
  const made = await backend.call('POST', '/v1/monitors', { as: owner, body })
  const { db } = backend.pool
  const { number } = await db
    .selectFrom('monitor')
    .select('number')
    .where('organization', '=', organization.number)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const key = { organization: organization.number, monitor: number }
  const since = new Date(sinceMs)
  await db.updateTable('monitor_status').set({ status, since }).where('monitor', '=', number).execute()
  const change = { ...key, from_status: 'up', to_status: status } as const
  const steps = [
    { ...change, id: newId(), at: new Date(sinceMs - 1), reason: 'an earlier one' },
    { ...change, id: newId(), at: since, reason: `${name} is ${status}` },
  ]
  if (status !== 'up') await db.insertInto('monitor_transition').values(steps).execute()
  return made.body.id
}

const open = (severity: 'info' | 'warning' | 'critical', summary: string, atMs: number, of = organization): Promise<string> =>
  openTestIncident(backend, of, { severity, summary, atMs })

describe('GET /v1/overview', () => {
  it('has empty lists and zero counts without any data', async () => {
    const body = await read()
    expect(body).toMatchObject({
      at: new Date(now()).toISOString(),
      monitors: { total: 0, up: 0, degraded: 0, down: 0, paused: 0, idle: 0 },
      servers: { total: 0, online: 0, offline: 0 },
      troubled_monitors: [],
      offline_servers: [],
      unhealthy_servers: { total: 0, servers: [] },
      outdated_agents: { total: 0, servers: [] },
      open_incidents: { total: 0, incidents: [] },
      changes: [],
      audit_events: [],
      last_export_at: null,
    })
  })

  it('counts monitors by status and lists those that are down or degraded, down first [OVERVIEW-01, OVERVIEW-02]', async () => {
    await makeMonitor('fine', 'up', now() - 5_000)
    const slow = await makeMonitor('slow', 'degraded', now() - 1_000)
    const gone = await makeMonitor('gone', 'down', now() - 4_000)
    const dead = await makeMonitor('dead', 'down', now() - 3_000)
    await makeMonitor('off', 'paused', now() - 2_000)
    const body = await read()
    expect(body.monitors).toEqual({ total: 5, up: 1, degraded: 1, down: 2, paused: 1, idle: 0 })
    expect(body.troubled_monitors.map(({ id }: { id: string }) => id)).toEqual([dead, gone, slow])
    expect(body.troubled_monitors[0]).toEqual({
      id: dead,
      name: 'dead',
      url: 'https://example.com/',
      status: 'down',
      status_since: new Date(now() - 3_000).toISOString(),
      reason: 'dead is down',
    })
  })

  it('says when the installation was exported to those who may manage integrations alone', async () => {
    await recordExport(backend.pool.db, new Date(now() - 7_000))
    await recordExport(backend.pool.db, new Date(now() - 5_000))
    expect((await read()).last_export_at).toBe(new Date(now() - 5_000).toISOString())
    expect((await read(await backend.member(organization, 'member'))).last_export_at).toBeNull()
    expect((await read(await backend.apiKey(organization, 'read'))).last_export_at).toBeNull()
  })

  it('counts servers by status and lists those that are offline [OVERVIEW-01, OVERVIEW-02]', async () => {
    const [silent, live, kept] = [
      await backend.server(organization),
      await backend.server(organization),
      await backend.server(organization),
    ]
    const push = async (as: Credentials) => {
      const at = new Date(now()).toISOString()
      const samples = [{ at, cpu: { percent: 1 } }]
      const body = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '1.0.0', samples }
      expect((await backend.call('POST', '/v1/agent/metrics', { as, body })).status).toBe(202)
    }
    await push(kept.as)
    backend.clock.advance(300_000)
    await push(live.as)
    // One that registered a few minutes ago is still waited for.
    expect((await read()).offline_servers.map(({ id }: { id: string }) => id)).toEqual([kept.id])
    backend.clock.advance(300_000)
    await push(live.as)
    const { servers, offline_servers: offline } = await read()
    expect(servers).toEqual({ total: 3, online: 1, offline: 2 })
    expect(offline.map(({ id }: { id: string }) => id)).toEqual([kept.id, silent.id])
    for (const status of ['online', 'offline'] as const)
      expect((await backend.call('GET', `/v1/servers?status=${status}`, { as: owner })).body.total).toBe(servers[status])
    const [listed] = (await backend.call('GET', '/v1/servers?status=offline&sort=-last_seen_at', { as: owner })).body.servers
    expect(offline[0]).toMatchObject({ hostname: listed.hostname, last_seen_at: listed.last_seen_at })
    expect(offline.map(({ reason }: { reason: string | null }) => reason)).toEqual([null, null])
    const replaced = await backend.call('POST', `/v1/servers/${kept.id}/regenerate-token`, { as: owner })
    const reasons = (await read()).offline_servers.map(({ reason }: { reason: string | null }) => reason)
    expect(reasons).toEqual([expect.stringMatching(`^its token was replaced at ${replaced.body.created_at}.*token set`), null])
    // What an instance keeps of the last push is enough as well.
    await backend.vedette.flushAll()
    expect((await read()).servers).toEqual(servers)
  })

  it('lists servers with a finding that is critical or a warning, the worst first, then by name', async () => {
    const finding = (severity: string) => ({
      code: 'unit_failed',
      severity,
      text: severity,
      sinceMs: now(),
      entityId: null,
      field: null,
      value: null,
      limit: null,
    })
    for (const [level, severity, hostname] of [
      [2, 'warning', 'b'],
      [1, 'info', 'c'],
      [3, 'critical', 'z'],
      [2, 'warning', 'a'],
    ] as const) {
      const { id } = await backend.server(organization)
      await backend.call('PATCH', `/v1/servers/${id}`, { as: owner, body: { display_name: hostname } })
      const row = { organization: organization.number, server_id: parseId('server', id) as string, level, derived_ms: now() }
      await backend.pool.db
        .insertInto('server_health')
        .values({ ...row, findings: JSON.stringify([finding(severity)]), memory: '{}' })
        .execute()
    }
    const { unhealthy_servers: unhealthy } = await read()
    expect(unhealthy.total).toBe(3)
    expect(
      unhealthy.servers.map((one: { display_name: string; health: { status: string } }) => [one.display_name, one.health.status]),
    ).toEqual([
      ['z', 'critical'],
      ['a', 'warning'],
      ['b', 'warning'],
    ])
    const { servers } = (await backend.call('GET', '/v1/overview/states', { as: owner })).body
    expect(servers.slice(0, 4).map(({ health }: { health: string }) => health)).toEqual([
      'critical',
      'warning',
      'warning',
      'info',
    ])
  })

  it('lists agents that are older than the backend [OVERVIEW-03]', async () => {
    const as = await backend.apiKey(organization, 'agent')
    for (const version of ['0.0.99', '0.0.9-rc.1', '0.1.0', '0.10.0', 'nightly', '1.0'])
      await backend.call('POST', '/v1/agent/register', {
        as,
        body: registration(`machine ${version}`, { hostname: `host-${version}`, agent_version: version }),
      })
    const { outdated_agents: outdated } = await read()
    expect(outdated.servers.map(({ agent_version: version }: { agent_version: string }) => version)).toEqual([
      '0.0.9-rc.1',
      '0.0.99',
    ])
    expect(outdated).toMatchObject({ total: 2, agent_version: '0.1.0' })
  })

  it('lists open incidents, the most severe first, then the newest [OVERVIEW-04]', async () => {
    await open('info', 'i', now() - 1_000)
    await open('critical', 'c old', now() - 9_000)
    await open('warning', 'w', now() - 2_000)
    await open('critical', 'c new', now() - 8_000)
    await open('critical', 'over', now() - 500)
    const { body } = await backend.call('GET', '/v1/incidents', { as: owner })
    const over = body.incidents.find(({ summary }: { summary: string }) => summary === 'over')
    await backend.call('POST', `/v1/incidents/${over.id}/resolve`, { as: owner })
    await backend.call('POST', `/v1/incidents/${body.incidents[1].id}/acknowledge`, { as: owner })
    const { open_incidents: existing } = await read()
    expect(existing.total).toBe(4)
    expect(existing.incidents.map(({ summary }: { summary: string }) => summary)).toEqual(['c new', 'c old', 'w', 'i'])
    const listed = (await backend.call('GET', '/v1/incidents?group=story', { as: owner })).body.incidents
    expect(listed).toContainEqual(existing.incidents[0])
  })

  it('lists changes of the last 24 hours, newest first [OVERVIEW-05]', async () => {
    const own = await backend.organization('Changing')
    const as = await backend.member(own, 'owner')
    const insert = (type: string, atMs: number, data: object = {}) =>
      insertEvent(backend.pool.db, own.number, { id: newId(), type, at: new Date(atMs), data })
    await insert('monitor.down', now() - DAY - 1)
    await insert('monitor.up', now() - DAY, { monitor: { name: 'Shop' } })
    await insert('member.joined', now() - 2_000)
    await insert('incident.opened', now() - 3_000)
    await insert('incident.opened', now() - 1_000, { reminder: true })
    const types = async (reader: Credentials) => (await read(reader)).changes.map(({ type }: { type: string }) => type)
    expect(await types(as)).toEqual(['member.joined', 'incident.opened', 'monitor.up'])
    expect((await read(as)).changes[2]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'monitor.up',
      timestamp: new Date(now() - DAY).toISOString(),
      data: { monitor: { name: 'Shop' } },
    })
    expect(await types(await backend.apiKey(own, 'read'))).toEqual(['incident.opened', 'monitor.up'])
  })

  it('returns the audit log to callers who may read it, and null to others [OVERVIEW-06]', async () => {
    const actions = (await read()).audit_events.map(({ action }: { action: string }) => action)
    expect(actions).toHaveLength(20)
    expect(actions).toContain('server.registered')
    expect((await read(await backend.apiKey(organization, 'admin'))).audit_events).toHaveLength(20)
    for (const as of [await backend.member(organization, 'viewer'), await backend.member(organization, 'member')])
      expect((await read(as)).audit_events).toBeNull()
    expect((await read(await backend.apiKey(organization, 'read'))).audit_events).toBeNull()
    backend.clock.advance(DAY + 1)
    owner = await backend.member(organization, 'owner')
    expect((await read()).audit_events).toEqual([])
  })

  it('contains one organization only', async () => {
    const other = await backend.organization('Other')
    await open('critical', 'theirs', now(), other)
    const body = await read(await backend.member(other, 'owner'))
    expect(body).toMatchObject({ monitors: { total: 0 }, servers: { total: 0 }, open_incidents: { total: 1 } })
    expect([body.troubled_monitors, body.offline_servers, body.outdated_agents.servers]).toEqual([[], [], []])
    const { incidents } = (await read()).open_incidents
    expect(incidents.map(({ summary }: { summary: string }) => summary)).not.toContain('theirs')
  })

  it('shows at most 20 of each with the true totals [OVERVIEW-02, OVERVIEW-04]', async () => {
    const many = await backend.organization('Many')
    for (let index = 0; index < 22; index += 1) await open('warning', `number ${index}`, now() - index, many)
    const { open_incidents: existing } = await read(await backend.member(many, 'viewer'))
    expect([existing.total, existing.incidents.length, existing.incidents[19].summary]).toEqual([22, 20, 'number 19'])
  })

  it('accepts no parameters', async () => {
    const { status, body } = await backend.call('GET', '/v1/overview?page=1', { as: owner })
    expect([status, body.error.details[0].path]).toEqual([400, 'page'])
  })
})

describe('GET /v1/overview/states', () => {
  it('has the status of all monitors and servers, the worst first, as the lists have it', async () => {
    const { body } = await backend.call('GET', '/v1/overview/states', { as: owner })
    const { body: monitors } = await backend.call('GET', '/v1/monitors?sort=status&limit=100', { as: owner })
    const { body: servers } = await backend.call('GET', '/v1/servers?sort=status&limit=100', { as: owner })
    const known = ({ id, name, status, tags }: Record<string, unknown>) => ({ id, name, status, tags })
    expect(monitors.total).toBeGreaterThan(3)
    expect([body.monitors_total, body.monitors.map(known)]).toEqual([monitors.total, monitors.monitors.map(known)])
    const named = servers.servers.map((one: Record<string, unknown>) =>
      known({ ...one, name: one['display_name'] ?? one['hostname'] }),
    )
    expect([body.servers_total, body.servers.map(known)]).toEqual([servers.total, named])
  })

  it('says since when: of a monitor its status, of a server that is offline its last push', async () => {
    const { body } = await backend.call('GET', '/v1/overview/states', { as: owner })
    for (const { id, since } of body.monitors)
      expect(since).toBe((await backend.call('GET', `/v1/monitors/${id}`, { as: owner })).body.status_since)
    for (const { id, status, since } of body.servers) {
      const { body: server } = await backend.call('GET', `/v1/servers/${id}`, { as: owner })
      expect([status, since]).toEqual(['offline', server.last_seen_at])
    }
  })

  it('waits for what is new, not for what is paused', async () => {
    const fresh = await backend.organization('Fresh')
    const as = await backend.member(fresh, 'owner')
    const make = (name: string) => backend.call('POST', '/v1/monitors', { as, body: { name, url: 'https://example.com/' } })
    await make('new')
    const { body: paused } = await make('paused')
    expect((await backend.call('POST', `/v1/monitors/${paused.id}/pause`, { as })).status).toBe(200)
    const key = await backend.apiKey(fresh, 'agent')
    await backend.call('POST', '/v1/agent/register', { as: key, body: registration('machine of a test') })
    const waiting = async () => {
      const { body } = await backend.call('GET', '/v1/overview/states', { as })
      return [...body.monitors, ...body.servers].map((one: { waiting: boolean }) => one.waiting)
    }
    expect(await waiting()).toEqual([true, false, true])
    backend.clock.advance(600_001)
    expect(await waiting()).toEqual([true, false, false])
  })
})

describe('untagged=true', () => {
  it('lists only those without a tag', async () => {
    const tagged = await backend.organization('Tagged')
    const as = await backend.member(tagged, 'owner')
    for (const [name, tags] of [
      ['with', ['prod']],
      ['without', []],
    ])
      await backend.call('POST', '/v1/monitors', { as, body: { name, url: 'https://example.com/', tags } })
    const key = await backend.apiKey(tagged, 'agent')
    const { body: server } = await backend.call('POST', '/v1/agent/register', {
      as: key,
      body: registration('machine of a test'),
    })
    const count = async (list: string) =>
      (await backend.call('GET', `/v1/${list}?untagged=true&include=counts`, { as })).body.total
    expect([await count('monitors'), await count('servers')]).toEqual([1, 1])
    await backend.call('PATCH', `/v1/servers/${server.server_id}`, { as, body: { tags: ['prod'] } })
    expect(await count('servers')).toBe(0)
  })
})
