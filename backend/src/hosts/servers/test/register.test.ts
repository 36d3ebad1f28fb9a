import { HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'

describe('POST /v1/agent/register', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let key: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    key = await backend.apiKey(organization, 'agent')
  })
  afterAll(() => backend.close())

  const register = (body: unknown, as = key) => backend.call('POST', '/v1/agent/register', { as, body })
  const push = (token: string) =>
    backend.call('POST', '/v1/agent/metrics', {
      as: { 'x-api-key': token },
      body: {
        batch_id: crypto.randomUUID(),
        sent_at: new Date(backend.clock.now()).toISOString(),
        agent_version: '0.1.0',
        samples: [{ at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 1 } }],
      },
    })

  it('returns an id, a token shown only once, and the intervals [REG-03, REG-04, WIRE-11]', async () => {
    const { status, headers, body } = await register(registration('machine-1'))
    expect(status).toBe(201)
    expect(body).toEqual({
      server_id: expect.stringMatching(/^srv_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      token: expect.stringMatching(/^vdt_srv_[0-9A-Za-z]{49}$/),
      sample_interval_seconds: 10,
      push_interval_seconds: 60,
    })
    expect(headers['location']).toBe(`/v1/servers/${body.server_id}`)
  })

  it.each([
    [
      'the next major version, with fields unknown to this one',
      '1.4.0',
      { from_the_future: [{}] },
      { percent: 2, from_the_future: 7 },
    ],
    ['the previous version, with required fields only', '0.0.1', {}, {}],
  ])('accepts an agent of %s [VERSION-06]', async (_, agentVersion, more, cpu) => {
    const { status, body } = await register({ ...registration(`machine-${agentVersion}`), agent_version: agentVersion, ...more })
    const at = new Date(backend.clock.now()).toISOString()
    const batch = {
      batch_id: crypto.randomUUID(),
      sent_at: at,
      agent_version: agentVersion,
      samples: [{ at, cpu, ...more }],
      ...more,
    }
    const pushed = await backend.call('POST', '/v1/agent/metrics', { as: { 'x-api-key': body.token }, body: batch })
    expect([status, pushed.status, pushed.body.accepted]).toEqual([201, 202, 1])
    const owner = await backend.member(organization, 'owner')
    const details = await backend.call('GET', `/v1/servers/${body.server_id}`, { as: owner })
    expect(details.body).toMatchObject({ agent_version: agentVersion, status: 'online' })
  })

  it('stores reported facts and ignores unknown fields of a newer agent [REG-02, WIRE-17]', async () => {
    const facts = {
      cpu_model: 'A CPU',
      cpu_cores: 8,
      memory_bytes: 16_000_000_000,
      boot_time: '2026-11-01T00:00:00.000Z',
      ip_addresses: ['192.0.2.9'],
      tags: ['db', 'eu'],
    }
    const { status, body } = await register(registration('machine-2', { ...facts, from_the_future: { a: 1 } }))
    expect(status).toBe(201)
    const owner = await backend.member(organization, 'owner')
    const details = await backend.call('GET', `/v1/servers/${body.server_id}`, { as: owner })
    expect(details.body).toMatchObject({ ...facts, hostname: 'web-1', arch: 'x64', machine_id: 'machine-2' })
  })

  it('creates a server that is offline and without metrics until its first sample [SERVER-05, SERVER-17]', async () => {
    const { body } = await register(registration('machine-11'))
    const viewer = await backend.member(organization, 'viewer')
    const { body: details } = await backend.call('GET', `/v1/servers/${body.server_id}`, { as: viewer })
    expect(details).toMatchObject({ status: 'offline', metrics: null, last_seen_at: details.registered_at })
  })

  it('replaces the token of a machine that registers again, and stores an event [REG-05, REG-06, REG-08]', async () => {
    const first = await register(registration('machine-3'))
    const again = await register(registration('machine-3', { hostname: 'renamed' }))
    expect(again.status).toBe(200)
    expect(again.body.server_id).toBe(first.body.server_id)
    expect((await push(first.body.token)).status).toBe(401)
    expect((await push(again.body.token)).status).toBe(202)
    const events = await backend.pool.db.selectFrom('event').select('type').execute()
    expect(events).toEqual([{ type: 'agent.reregistered' }])
  })

  it('creates one server for concurrent registrations of one machine [REG-07]', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(registration('machine-4'))))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.server_id)).size).toBe(1)
    const accepted = await Promise.all(answers.map(({ body }) => push(body.token)))
    expect(accepted.filter(({ status }) => status === 202)).toHaveLength(1)
  })

  it('creates separate servers for the same machine in two organizations', async () => {
    const other = await backend.apiKey(await backend.organization('Other'), 'agent')
    const here = await register(registration('machine-5'))
    const there = await register(registration('machine-5'), other)
    expect([here.status, there.status]).toEqual([201, 201])
    expect(here.body.server_id).not.toBe(there.body.server_id)
  })

  it.each([
    [{ hostname: undefined }, 'hostname'],
    [{ machine_id: undefined }, 'machine_id'],
    [{ hostname: '' }, 'hostname'],
    [{ hostname: 'x'.repeat(256) }, 'hostname'],
    [{ hostname: 7 }, 'hostname'],
    [{ kernel: null }, 'kernel'],
    [{ os: 'nul\0' }, 'os'],
    [{ cpu_cores: '8' }, 'cpu_cores'],
    [{ cpu_cores: 0 }, 'cpu_cores'],
    [{ memory_bytes: -1 }, 'memory_bytes'],
    [{ boot_time: 'yesterday' }, 'boot_time'],
    [{ tags: ['a', 'a'] }, 'tags'],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags'],
  ])('rejects %j and names the field', async (change, path) => {
    const { status, body } = await register({ ...registration('machine-6'), ...change })
    expect(status).toBe(400)
    expect(body.error.details[0].path).toBe(path)
  })

  it.each([
    ['2026-11-01T02:00:00+02:00', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01t00:00:00.1234567z', '2026-11-01T00:00:00.123Z'],
  ])('returns the boot time %s as %s [WIRE-03]', async (boot_time, expected) => {
    const { body } = await register(registration(`boot ${boot_time}`, { boot_time }))
    const viewer = await backend.member(organization, 'viewer')
    expect((await backend.call('GET', `/v1/servers/${body.server_id}`, { as: viewer })).body.boot_time).toBe(expected)
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-11-01 00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-11-01T00:00:00',
  ])('rejects the invalid boot time %s', async (boot_time) => {
    const { status, body } = await register(registration('machine-10', { boot_time }))
    expect([status, body.error?.details[0].path]).toEqual([400, 'boot_time'])
  })

  it.each(['1e999', '9007199254740992', '1e300', '1.5', '-1'])('rejects %s bytes of memory', async (text) => {
    const body = JSON.stringify(registration('machine-9', { memory_bytes: 0 })).replace(
      '"memory_bytes":0',
      `"memory_bytes":${text}`,
    )
    const answer = await register(body)
    expect([answer.status, answer.body.error?.details[0].path]).toEqual([400, 'memory_bytes'])
  })

  it('requires the scope agent or admin and rejects users and servers [ACCESS-18, ACCESS-23, ERROR-08]', async () => {
    const server = await backend.server(organization)
    const body = registration('machine-7')
    expect((await register(body, {})).status).toBe(401)
    for (const as of [
      await backend.apiKey(organization, 'read', 'write'),
      await backend.member(organization, 'owner'),
      server.as,
    ]) {
      const { status, body: refusal } = await register(body, as)
      expect([status, refusal.error.code]).toEqual([403, 'forbidden'])
    }
    expect((await register(body, await backend.apiKey(organization, 'admin'))).status).toBe(201)
  })

  it('accepts a machine whose server was deleted only with a newer key [SERVER-09]', async () => {
    const owner = await backend.member(organization, 'owner')
    const { body: made } = await register(registration('machine-8'))
    expect((await backend.call('DELETE', `/v1/servers/${made.server_id}`, { as: owner })).status).toBe(204)
    backend.clock.advance(1_000)
    const refused = await register(registration('machine-8'))
    expect(refused.status).toBe(403)
    expect(refused.body.error.message).toMatch(/deleted.*API key created after/)
    const newKey = await backend.apiKey(organization, 'agent')
    const back = await register(registration('machine-8'), newKey)
    expect(back.status).toBe(201)
    expect(back.body.server_id).not.toBe(made.server_id)
  })
})

describe('PUT /v1/agent/facts', () => {
  let backend: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'agent=5' } })
    organization = await backend.organization()
  })
  afterAll(() => backend.close())

  it('changes the given facts and keeps the others [REG-09, AGENT-36]', async () => {
    const server = await backend.server(organization)
    const put = await backend.call('PUT', '/v1/agent/facts', {
      as: server.as,
      body: { kernel: '6.2.0', cpu_cores: 4, later: true },
    })
    expect([put.status, put.body]).toEqual([204, undefined])
    await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: { memory_bytes: 5, dropped_samples: 60 } })
    const { body } = await backend.call('GET', `/v1/servers/${server.id}`, { as: await backend.member(organization, 'viewer') })
    expect(body).toMatchObject({
      kernel: '6.2.0',
      cpu_cores: 4,
      memory_bytes: 5,
      dropped_samples: 60,
      damaged_records: null,
      os: 'Debian GNU/Linux 12',
    })
  })

  it('stores one change of the version an hour, with the latest', async () => {
    const server = await backend.server(organization)
    const change = async (agent_version: string, laterMs: number) => {
      backend.clock.advance(laterMs)
      await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: { agent_version } })
    }
    for (const version of ['2.0', '2.1', '2.2', '2.2', '2.3']) await change(version, 10 * MINUTE_MS)
    await change('2.4', HOUR_MS)
    const rows = await backend.pool.db
      .selectFrom('event')
      .select('details')
      .where('organization', '=', organization.number)
      .where('type', '=', 'agent.updated')
      .orderBy('at')
      .execute()
    expect(rows.map(({ details }) => details)).toEqual([
      { from: '0.1.0', to: '2.3' },
      { from: '2.3', to: '2.4' },
    ])
  })

  it('accepts only the token of the server', async () => {
    const body = { kernel: '6.2.0' }
    expect((await backend.call('PUT', '/v1/agent/facts', { body })).status).toBe(401)
    for (const as of [await backend.apiKey(organization, 'agent', 'admin'), await backend.member(organization, 'owner')]) {
      expect((await backend.call('PUT', '/v1/agent/facts', { as, body })).status).toBe(403)
    }
  })

  it('rejects invalid facts and has a rate limit per server [LIMIT-14, LIMIT-22]', async () => {
    const server = await backend.server(organization)
    const bad = await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: { cpu_cores: 'many' } })
    expect([bad.status, bad.body.error.details[0].path]).toEqual([400, 'cpu_cores'])
    const statuses = []
    for (let count = 0; count < 5; count += 1)
      statuses.push((await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: {} })).status)
    expect(statuses).toEqual([204, 204, 204, 204, 429])
    const other = await backend.server(organization)
    expect((await backend.call('PUT', '/v1/agent/facts', { as: other.as, body: {} })).status).toBe(204)
  })
})
