import { randomUUID } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdBy } from './database-locks.ts'
import {
  type Answer,
  type Credentials,
  passedCheck,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from './harness.ts'

let backend: TestBackend
let acme: TestOrganization
let owner: Credentials
beforeAll(async () => {
  backend = await startTestBackend({
    environment: {
      VEDETTE_ORGANIZATIONS_PER_USER: '3',
      VEDETTE_INVITATIONS_PER_DAY: '3',
      VEDETTE_REGISTRATIONS_PER_HOUR: '3',
    },
  })
  acme = await backend.organization('Acme')
  owner = await backend.member(acme, 'owner')
})
afterAll(() => backend.close())

const refusal = ({ status, body, headers }: Answer) => [status, body.error.code, headers['retry-after'], body.error.message]
const figures = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset', 'retry-after'].map((name) => Number(headers[`x-ratelimit-${name}`] ?? headers[name]))
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort((one, other) => one - other)

describe('the number of organizations of one owner', () => {
  const create = (as: Credentials) => backend.call('POST', '/v1/organizations', { as, body: { name: 'One more' } })

  it('is bounded, also for requests at once; those of others do not count', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(owner)))
    // With Acme.
    expect(statusesOf(answers)).toEqual([201, 201, 409, 409])
    expect(refusal(await create(owner))).toEqual([
      409,
      'conflict',
      undefined,
      'At most 3 organizations per owner are allowed. Delete one, or leave one that has another owner.',
    ])
    const made = answers.find(({ status }) => status === 201)?.body.id
    const removal = { as: owner, body: { name: 'One more' } }
    expect((await backend.call('DELETE', `/v1/organizations/${made}`, removal)).status).toBe(204)
    expect((await create(owner)).status).toBe(201)
    const viewer = await backend.member(acme, 'viewer')
    for (let count = 0; count < 3; count += 1) expect((await create(viewer)).status).toBe(201)
    expect((await create(viewer)).status).toBe(409)
  })
})

describe('what an organization may have', () => {
  const condition = { metric: 'cpu.percent', operator: 'greater_than', value: 90 }
  const rule = { name: 'x', target: { type: 'server' }, condition, for_seconds: 60, severity: 'warning' }
  const window = { name: 'x', target: { type: 'server' }, starts_at: '2050-01-01T00:00:00Z', ends_at: '2050-01-02T00:00:00Z' }
  let slugs = 0
  const channel = { name: 'x', type: 'email', config: { to: 'ada@example.com' } }

  it.each([
    ['alert_rule', '/v1/alert-rules', rule, 'alert rules', 'Delete'],
    ['maintenance_window', '/v1/maintenance-windows', window, 'maintenance windows', 'Delete'],
    [
      'status_page',
      '/v1/status-pages',
      () => ({ name: 'x', slug: `page-${(slugs += 1)}`, title: 'x' }),
      'status pages',
      'Delete',
    ],
    ['channel', '/v1/channels', channel, 'channels', 'Delete'],
    ['api_key', '/v1/api-keys', { name: 'x', scopes: ['read'] }, 'API keys that are not revoked', 'Revoke'],
  ])('is bounded: 1,000 of %s', async (table, path, body, noun, verb) => {
    const organization = await backend.organization('Full')
    const as = await backend.member(organization, 'owner')
    const create = () => backend.call('POST', path, { as, body: typeof body === 'function' ? body() : body })
    const first = await create()
    expect([first.status, first.body]).toEqual([201, first.body])
    const { rows } = await backend.pool.pg.query(`select count(*)::int as count from ${table} where organization = $1`, [
      organization.number,
    ])
    // Copies of the first, with ids of their own; a new organization has some alert rules.
    await backend.pool.pg.query(
      `insert into ${table} select made.* from ${table} as one cross join generate_series(1, $2) as n,
        lateral jsonb_populate_record(one, jsonb_build_object('id', md5(n::text || one.id)::uuid)) as made
      where one.id = (select id from ${table} where organization = $1 limit 1)`,
      [organization.number, 999 - rows[0].count],
    )
    expect((await create()).status).toBe(201)
    expect(refusal(await create())).toEqual([
      409,
      'conflict',
      undefined,
      `At most 1000 ${noun} per organization are allowed. ${verb} one first.`,
    ])
    await backend.call('DELETE', `${path}/${first.body.id}`, { as })
    expect((await create()).status).toBe(201)
  })
})

describe('the number of invitations of one organization', () => {
  const invite = (as: Credentials, email: string, organization = acme) =>
    backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as, body: { email, role: 'viewer' } })

  it('is bounded in 24 hours, with renewed and revoked ones, also for requests at once', async () => {
    const key = await backend.apiKey(acme, 'admin')
    const first = await invite(key, 'a@example.com')
    expect(first.status).toBe(201)
    backend.clock.advance(1_000)
    const path = `/v1/organizations/${acme.id}/invitations/${first.body.id}`
    expect((await backend.call('DELETE', path, { as: key })).status).toBe(204)
    const again = await Promise.all(Array.from({ length: 4 }, () => invite(key, 'b@example.com')))
    expect(statusesOf(again)).toEqual([201, 201, 429, 429])
    expect(refusal(await invite(owner, 'c@example.com'))).toEqual([
      429,
      'rate_limited',
      '86399',
      'At most 3 invitations per organization and day are allowed. Try again in 86399 s.',
    ])
    const resetAt = Math.ceil((backend.clock.now() - 1_000 + DAY_MS) / 1000)
    expect(figures(await invite(owner, 'c@example.com'))).toEqual([3, 0, resetAt, 86_399])
    const other = await backend.organization('Other')
    expect((await invite(await backend.apiKey(other, 'admin'), 'c@example.com', other)).status).toBe(201)
    backend.clock.advance(DAY_MS - 1_001)
    expect((await invite(key, 'c@example.com')).status).toBe(429)
    backend.clock.advance(1)
    expect((await invite(key, 'c@example.com')).status).toBe(201)
    expect((await invite(key, 'd@example.com')).status).toBe(429)
  })
})

describe('the number of registrations of one key', () => {
  const register = (as: Credentials, machine: string) =>
    backend.call('POST', '/v1/agent/register', { as, body: registration(machine) })

  it('is bounded in one hour, with known machines; other keys of the organization register on', async () => {
    const key = await backend.apiKey(acme, 'agent')
    const statuses = []
    for (const machine of ['limited-one', 'limited-two', 'limited-two']) statuses.push((await register(key, machine)).status)
    expect(statuses).toEqual([201, 201, 200])
    expect(refusal(await register(key, 'limited-three'))).toEqual([
      429,
      'rate_limited',
      '3600',
      'At most 3 registrations per key and hour are allowed. Try again in 3600 s.',
    ])
    const resetAt = Math.ceil((backend.clock.now() + HOUR_MS) / 1000)
    expect(figures(await register(key, 'limited-three'))).toEqual([3, 0, resetAt, 3600])
    expect((await register(await backend.apiKey(acme, 'agent'), 'limited-three')).status).toBe(201)
    backend.clock.advance(HOUR_MS - 1)
    expect((await register(key, 'limited-four')).status).toBe(429)
    backend.clock.advance(1)
    expect((await register(key, 'limited-four')).status).toBe(201)
  })
})

describe('work that runs at once for one organization', () => {
  const WEBHOOK = { name: 'hook', type: 'webhook', config: { url: 'https://192.0.2.1/' } }
  const RULE = {
    name: 'rule',
    target: { type: 'server' },
    condition: { metric: 'cpu.percent', operator: 'greater_than', value: 90 },
  }
  // Sessions of the tests before have expired with their days.
  let member: Credentials
  beforeAll(async () => {
    member = await backend.member(acme, 'owner')
  })
  const definition = { name: 'trial', url: 'https://example.com/' }

  /** Sends one request more than the bound while something holds them up. */
  async function exceed(on: TestBackend, max: number, send: () => Promise<Answer>, release: () => Promise<void> | void) {
    const first = Array.from({ length: max + 1 }, send)
    // The one that is refused comes back while the others are held up.
    const refused = await Promise.race(first)
    await release()
    const answers = await Promise.all(first)
    expect(statusesOf(answers).slice(-2)).toEqual([answers.find(({ status }) => status !== 429)?.status, 429])
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await send()).status).not.toBe(429)
    return refusal(refused)
  }

  it('is bounded for tests of definitions', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const prober = { check: () => promise.then(() => passedCheck(backend.clock.now())) }
    const slow = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, prober })
    const send = () => slow.call('POST', '/v1/monitors/test', { as: member, body: definition })
    expect(await exceed(slow, 10, send, resolve)).toEqual([
      429,
      'rate_limited',
      '2',
      'At most 10 of the tests of definitions of one organization may run at once. Try again in 2 s.',
    ])
    await slow.close()
  })

  it('is bounded for previews of alert rules', async () => {
    const hold = await holdBy(backend.databaseUrl, 'lock table server in access exclusive mode')
    const send = () => backend.call('POST', '/v1/alert-rules/preview', { as: member, body: RULE })
    const [status, , , message] = await exceed(backend, 4, send, hold.release)
    expect([status, message]).toEqual([
      429,
      'At most 4 of the previews of alert rules of one organization may run at once. Try again in 2 s.',
    ])
  })

  it('is bounded for tests of channels', async () => {
    const { body } = await backend.call('POST', '/v1/channels', { as: member, body: WEBHOOK })
    const hold = await holdBy(backend.databaseUrl, 'lock table channel in access exclusive mode')
    const send = () => backend.call('POST', `/v1/channels/${body.id}/test`, { as: member })
    const [status, , , message] = await exceed(backend, 5, send, hold.release)
    expect([status, message]).toEqual([
      429,
      'At most 5 of the tests of channels of one organization may run at once. Try again in 2 s.',
    ])
  })
})

it('a body has at most 32 levels, also in fields that are ignored', async () => {
  const as = await backend.probe()
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
  // The body itself is one of them.
  const send = (levels: number) =>
    backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID(), more: nested(levels - 1) } })
  expect((await send(32)).status).toBe(200)
  const { status, body } = await send(33)
  expect([status, body.error.code, body.error.message]).toEqual([
    400,
    'validation_error',
    expect.stringContaining('is nested deeper than 32 levels'),
  ])
  expect(body.error.details[0].path).toMatch(/^more(\.0){31}$/)
})
