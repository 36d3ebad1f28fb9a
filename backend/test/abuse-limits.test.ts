import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
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
