import { PLANS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credentials,
  registration,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { SYSTEM } from '../../audit/index.ts'
import { findPlan, refuseOverPlan, setPlan } from '../index.ts'

const DAY = 86_400_000
const MANY = 'machine-of-'

describe('plans', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  let key: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })
  beforeEach(async () => {
    organization = await backend.organization()
    key = await backend.apiKey(organization, 'agent')
  })

  const putOn = async (plan: 'free' | 'pro' | 'enterprise') => {
    const { db } = backend.pool
    const { id } = await db
      .selectFrom('organization')
      .select('id')
      .where('number', '=', organization.number)
      .executeTakeFirstOrThrow()
    await setPlan(db, backend.clock, { number: organization.number, id }, plan, SYSTEM)
  }
  const register = (machine: string, on = backend) =>
    on.call('POST', '/v1/agent/register', { as: key, body: registration(MANY + machine) })
  const fill = async (count: number) => {
    for (let index = 0; index < count; index += 1) expect((await register(`fill-${index}`)).status).toBe(201)
  }

  const countBy = (answers: { status: number }[]) => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  it('a new organization is on the plan that holds nothing back', async () => {
    await fill(PLANS.free.servers)
    expect((await register('one more')).status).toBe(201)
  })

  it('the server beyond the limit is a 402 that names the limit and its value [ERROR-12]', async () => {
    await putOn('free')
    await fill(PLANS.free.servers)
    const { status, body } = await register('one-too-many')
    expect([status, body.error.code]).toEqual([402, 'plan_limit_reached'])
    expect(body.error.message).toMatch(/free.*\b5 servers/)
  })

  it('a registered machine can register again at the limit, and deleting a server allows another one', async () => {
    await putOn('free')
    await fill(PLANS.free.servers)
    const again = await register('fill-0')
    expect(again.status).toBe(200)
    const owner = await backend.member(organization, 'owner')
    await backend.call('DELETE', `/v1/servers/${again.body.server_id}`, { as: owner })
    expect((await register('another')).status).toBe(201)
    expect((await register('one-too-many')).status).toBe(402)
  })

  it('the limit is exact for many who register at once on two instances', async () => {
    await putOn('free')
    await fill(PLANS.free.servers - 2)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => register(`rush-${index}`, index % 2 === 0 ? backend : second)),
    )
    expect(countBy(answers)).toEqual({ 201: 2, 402: 10 })
  })

  it('a machine that registers twice at once takes one place, also the last', async () => {
    await putOn('free')
    await fill(PLANS.free.servers - 1)
    const answers = await Promise.all([backend, second, backend, second].map((on) => register('twin', on)))
    expect(countBy(answers)).toEqual({ 200: 3, 201: 1 })
  })

  it('a lower plan keeps what is there, a higher one lets more in, and each change is written down', async () => {
    await fill(PLANS.free.servers + 2)
    await putOn('free')
    const owner = await backend.member(organization, 'owner')
    expect((await backend.call('GET', '/v1/servers', { as: owner })).body.total).toBe(PLANS.free.servers + 2)
    expect((await register('more')).status).toBe(402)
    await putOn('pro')
    await putOn('pro')
    expect((await register('more')).status).toBe(201)
    const { body } = await backend.call('GET', '/v1/audit-events?action=organization.plan_changed', { as: owner })
    expect(body.audit_events.map(({ details }: { details: object }) => details)).toEqual([
      { from: 'free', to: 'pro' },
      { from: 'enterprise', to: 'free' },
    ])
  })

  it('an organization that is gone is a not_found, not an error of ours', async () => {
    const { db } = backend.pool
    const gone = 2 ** 31 - 1
    await expect(findPlan(db, gone)).rejects.toMatchObject({ code: 'not_found' })
    await expect(refuseOverPlan(db, gone, 'monitors', async () => 0)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('one organization does not fill the plan of another', async () => {
    await putOn('free')
    await fill(PLANS.free.servers)
    const other = await backend.organization('Other')
    expect((await backend.server(other)).id).toMatch(/^srv_/)
  })

  it('what a plan keeps limits what is read, and nothing is deleted by it', async () => {
    const server = await backend.server(organization)
    const viewer = await backend.member(organization, 'viewer')
    const now = backend.clock.now()
    const iso = (ms: number) => new Date(ms).toISOString()
    const ages = [PLANS.free.rollupRetentionDays * DAY + 60_000, PLANS.free.rollupRetentionDays * DAY - 60_000]
    for (const [index, age] of ages.entries()) {
      const { status } = await backend.call('POST', '/v1/agent/metrics', {
        as: server.as,
        body: {
          batch_id: crypto.randomUUID(),
          sent_at: iso(now),
          agent_version: '0.1.0',
          samples: [{ at: iso(now - age), cpu: { percent: index === 0 ? 90 : 10 } }],
        },
      })
      expect(status).toBe(202)
    }
    const read = async () =>
      (await backend.call('GET', `/v1/servers/${server.id}/metrics?period=7d&points=100`, { as: viewer })).body
    expect((await read()).metrics.cpu).toMatchObject({ max_percent: 90, avg_percent: 50 })
    await putOn('free')
    const clipped = await read()
    expect(clipped.period).toBe('7d')
    expect(clipped.metrics.cpu).toMatchObject({ max_percent: 10, avg_percent: 10 })
    const { from, step_seconds: step } = clipped.series
    expect(Date.parse(from)).toBeGreaterThan(now - PLANS.free.rollupRetentionDays * DAY - step * 1_000)
    // One by one only as far as the plan says: a longer look has no steps below 5 minutes.
    const stepOf = async (ageMs: number) => {
      const range = `from=${iso(now - ageMs)}&to=${iso(now - ageMs + 600_000)}&metrics=cpu&points=1000`
      return (await backend.call('GET', `/v1/servers/${server.id}/metrics?${range}`, { as: viewer })).body.series.step_seconds
    }
    const rawMs = PLANS.free.rawRetentionDays * DAY
    expect([await stepOf(rawMs), await stepOf(rawMs + DAY)]).toEqual([10, 300])
    await putOn('enterprise')
    expect(await stepOf(rawMs + DAY)).toBe(10)
    expect((await read()).metrics.cpu).toMatchObject({ max_percent: 90, avg_percent: 50 })
  })
})
