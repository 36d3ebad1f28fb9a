import { randomUUID } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registration, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

describe('an enrollment token', () => {
  let backend: TestBackend
  let second: TestBackend
  let acme: TestOrganization
  let owner: object
  beforeAll(async () => {
    backend = await startTestBackend()
    second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })
  beforeEach(async () => {
    acme = await backend.organization()
    owner = await backend.member(acme, 'owner')
  })

  const create = (body: object = {}, as = owner) => backend.call('POST', '/v1/enrollment-tokens', { as, body })
  const register = (token: string, machine: string = randomUUID(), more: object = {}, on = backend) =>
    on.call('POST', '/v1/agent/register', { as: { 'x-api-key': token }, body: registration(machine, more) })
  const item = async (id: string) => {
    const { body } = await backend.call('GET', '/v1/enrollment-tokens', { as: owner })
    return body.enrollment_tokens.find((token: { id: string }) => token.id === id)
  }

  it('is shown once, registers one host within an hour by default, and gives it its tags', async () => {
    const { status, body } = await create({ tags: ['prod', 'web'] })
    expect(status).toBe(201)
    const { token, ...rest } = body
    expect(token).toMatch(/^vdt_enr_[0-9A-Za-z]{49}$/)
    const expiry = new Date(backend.clock.now() + 60 * MINUTE_MS).toISOString()
    expect(rest).toMatchObject({
      id: expect.stringMatching(/^enr_/),
      uses: 1,
      uses_left: 1,
      expires_at: expiry,
      revoked_at: null,
    })
    expect(await item(body.id)).toEqual(rest)
    const answer = await register(token, randomUUID(), { tags: ['web', 'eu'] })
    expect(answer.status).toBe(201)
    const server = await backend.call('GET', `/v1/servers/${answer.body.server_id}`, { as: owner })
    expect(server.body.tags).toEqual(['web', 'eu', 'prod'])
    expect((await item(body.id)).uses_left).toBe(0)
    const again = await register(token)
    expect([again.status, again.body.error.code]).toEqual([401, 'unauthorized'])
  })

  it('registers exactly as many hosts as it has uses, on two backends at once', async () => {
    const { token, id } = (await create({ uses: 5 })).body
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => register(token, randomUUID(), {}, index % 2 ? backend : second)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7)
    expect((await item(id)).uses_left).toBe(0)
  })

  it('keeps its use where a registration fails', async () => {
    const { token, id } = (await create()).body
    expect((await register(token, randomUUID(), { hostname: '' })).status).toBe(400)
    await backend.pool.pg.query("update organization set plan = 'free' where number = $1", [acme.number])
    for (let count = 0; count < 5; count += 1) await backend.server(acme)
    expect((await register(token)).status).toBe(402)
    expect((await item(id)).uses_left).toBe(1)
  })

  it('may do nothing but register', async () => {
    const as = { 'x-api-key': (await create({ uses: 3 })).body.token }
    for (const [method, path] of [
      ['GET', '/v1/servers'],
      ['GET', '/v1/enrollment-tokens'],
      ['POST', '/v1/enrollment-tokens'],
      ['GET', '/v1/api-keys'],
      ['GET', '/v1/events'],
      ['GET', '/v1/auth/me'],
    ] as const)
      expect([path, (await backend.call(method, path, { as, body: method === 'POST' ? {} : undefined })).status]).toEqual([
        path,
        403,
      ])
    const push = { batch_id: randomUUID(), sent_at: new Date().toISOString(), agent_version: '0.1.0', samples: [] }
    expect((await backend.call('POST', '/v1/agent/metrics', { as, body: push })).status).toBe(403)
  })

  it('is refused once revoked or expired, on every backend', async () => {
    const revoked = (await create()).body
    const url = `/v1/enrollment-tokens/${revoked.id}`
    for (const on of [backend, second]) expect((await on.call('DELETE', url, { as: owner })).status).toBe(204)
    for (const on of [backend, second]) expect((await register(revoked.token, randomUUID(), {}, on)).status).toBe(401)
    const expiring = (await create({ expires_in_minutes: 5 })).body
    backend.clock.advance(5 * MINUTE_MS)
    expect((await register(expiring.token)).status).toBe(401)
    backend.clock.advance(-1)
    expect((await register(expiring.token)).status).toBe(201)
  })

  it('is deleted 30 days after its expiry, with its credential', async () => {
    // Sessions end before.
    owner = await backend.apiKey(acme, 'admin')
    const { id } = (await create()).body
    backend.clock.advance(30 * DAY_MS + 60 * MINUTE_MS)
    await backend.jobs.deleteExpired()
    expect(await item(id)).toBeDefined()
    backend.clock.advance(1)
    await backend.jobs.deleteExpired()
    expect(await item(id)).toBeUndefined()
    const { rows } = await backend.pool.pg.query("select from credential where kind = 'enrollment_token' and organization = $1", [
      acme.number,
    ])
    expect(rows).toEqual([])
  })

  it('brings a deleted machine back only where it was created after the deletion', async () => {
    const before = (await create({ uses: 2 })).body.token
    const machine = randomUUID()
    const { server_id: id } = (await register(before, machine)).body
    backend.clock.advance(1_000)
    expect((await backend.call('DELETE', `/v1/servers/${id}`, { as: owner })).status).toBe(204)
    expect((await register(before, machine)).status).toBe(403)
    backend.clock.advance(1_000)
    expect((await register((await create()).body.token, machine)).status).toBe(201)
  })

  it('is created, listed and revoked by owners, admins and keys that may register hosts, and by nobody else', async () => {
    for (const as of [
      await backend.member(acme, 'admin'),
      await backend.apiKey(acme, 'admin'),
      await backend.apiKey(acme, 'agent'),
    ])
      expect((await create({}, as)).status).toBe(201)
    for (const as of [await backend.member(acme, 'member'), await backend.apiKey(acme, 'read', 'write')])
      expect((await create({}, as)).status).toBe(403)
  })

  it.each([
    [{ uses: 0 }, 'uses'],
    [{ uses: 1_001 }, 'uses'],
    [{ expires_in_minutes: 0 }, 'expires_in_minutes'],
    [{ expires_in_minutes: 43_201 }, 'expires_in_minutes'],
  ])('refuses %j with the name of the field', async (body, field) => {
    const { status, body: answer } = await create(body)
    expect([status, answer.error.details[0].path]).toEqual([400, field])
    expect((await create({ uses: 1_000, expires_in_minutes: 43_200 })).status).toBe(201)
  })

  it('is refused beyond 1,000 that can be used', async () => {
    await backend.pool.pg.query(
      `insert into enrollment_token (organization, id, prefix, uses, uses_left, tags, created_at, expires_at)
       select $1, gen_random_uuid(), 'vdt_enr_', 1, 1, '{}', $2::timestamptz, $2::timestamptz + interval '1 hour' from generate_series(1, 999)`,
      [acme.number, new Date(backend.clock.now())],
    )
    const { status, body } = await create()
    expect(status).toBe(201)
    expect((await create()).status).toBe(409)
    await backend.call('DELETE', `/v1/enrollment-tokens/${body.id}`, { as: owner })
    expect((await create()).status).toBe(201)
  })

  it('is in the audit log and the security log: who made it, and what it registered', async () => {
    const { token, id } = (await create()).body
    await register(token)
    const { body } = await backend.call('GET', '/v1/audit-events', { as: owner })
    expect(body.audit_events.map(({ action, actor }: { action: string; actor: object }) => [action, actor])).toMatchObject([
      ['server.registered', { type: 'enrollment_token', id }],
      ['enrollment_token.created', { type: 'user' }],
    ])
    const log = await backend.call('GET', '/v1/security-events?type=enrollment_token.created', { as: owner })
    expect(log.body.total).toBe(1)
  })
})
