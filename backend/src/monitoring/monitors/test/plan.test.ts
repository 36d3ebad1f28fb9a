import { PLANS, type Plan } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { holdBy } from '../../../../test/database-locks.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let second: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  scene = await startScene()
  second = await startTestBackend({ databaseUrl: scene.backend.databaseUrl, clock: scene.backend.clock })
})
afterAll(async () => {
  await second.close()
  await scene.backend.close()
})
beforeEach(async () => {
  organization = await scene.backend.organization('Small')
  as = await scene.backend.member(organization, 'admin')
})

const LIMIT = PLANS.free.monitors
const site = { name: 'site', url: 'https://example.com/', interval: 60 }
const sites = (count: number) => Array.from({ length: count }, () => site)
const putOn = (plan: Plan) =>
  scene.backend.pool.db.updateTable('organization').set({ plan }).where('number', '=', organization.number).execute()
const bulk = (body: object) => scene.call('POST', '/bulk', body, as)
const total = async () => (await scene.call('GET', '', undefined, as)).body.total

describe('the number of monitors that a plan allows', () => {
  beforeEach(async () => {
    await putOn('free')
    await bulk({ create: sites(LIMIT - 2) })
  })

  it('causes a 402 that names the limit, and a deletion makes room', async () => {
    const made = await scene.make(site, as)
    await scene.make(site, as)
    const { status, body } = await scene.call('POST', '', site, as)
    expect([status, body.error.code]).toEqual([402, 'plan_limit_reached'])
    expect(body.error.message).toMatch(/free.*\b20 monitors/)
    await scene.call('DELETE', `/${made.id}`, undefined, as)
    expect((await scene.call('POST', '', site, as)).status).toBe(201)
    expect(await total()).toBe(LIMIT)
  })

  it('is exact for many concurrent creations on two instances', async () => {
    // Nobody can store while all of them come as far as they can.
    const hold = await holdBy(scene.backend.databaseUrl, 'lock table monitor in share mode')
    const requests = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? scene.backend : second).call('POST', '/v1/monitors', { as, body: site }),
    )
    await hold.untilWaiting(10)
    await hold.release()
    const answers = await Promise.all(requests)
    const made = answers.filter(({ status }) => status === 201).length
    expect([made, answers.filter(({ status }) => status === 402).length, await total()]).toEqual([2, 8, LIMIT])
  })

  it('applies to the creations of a bulk request minus its deletions', async () => {
    const { body } = await scene.call('GET', '?limit=2', undefined, as)
    const ids = body.monitors.map(({ id }: { id: string }) => id)
    expect((await bulk({ create: sites(3) })).status).toBe(402)
    expect((await bulk({ create: sites(5), delete: ids })).status).toBe(402)
    expect(await total()).toBe(LIMIT - 2)
    expect((await bulk({ create: sites(4), delete: ids })).status).toBe(200)
    expect(await total()).toBe(LIMIT)
  })

  it('keeps existing monitors and allows changing them', async () => {
    await putOn('enterprise')
    await bulk({ create: sites(5) })
    await putOn('free')
    const { body } = await scene.call('GET', '?limit=1', undefined, as)
    expect((await scene.call('PATCH', `/${body.monitors[0].id}`, { name: 'x' }, as)).status).toBe(200)
    expect((await scene.call('POST', '', site, as)).status).toBe(402)
  })
})

describe('the shortest interval that a plan allows', () => {
  it.each([
    ['free', 59, 60],
    ['pro', 29, 30],
    ['enterprise', undefined, 10],
  ] as const)('on %s refuses %s and takes %s seconds', async (plan, refused, taken) => {
    await putOn(plan)
    const made = await scene.make({ ...site, interval: taken }, as)
    if (refused === undefined) return
    const answers = [
      await scene.call('POST', '', { ...site, interval: refused }, as),
      await scene.call('PATCH', `/${made.id}`, { interval: refused }, as),
      await bulk({ create: [{ ...site, interval: refused }] }),
      await bulk({ update: [{ id: made.id, interval: refused }] }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([402, 'plan_limit_reached'])
      expect(body.error.message).toContain(`${taken} seconds`)
    }
  })

  it('does not apply to an unchanged interval', async () => {
    const made = await scene.make({ ...site, interval: 10 }, as)
    await putOn('free')
    expect((await scene.call('PATCH', `/${made.id}`, { name: 'x', interval: 10 }, as)).body).toMatchObject({
      name: 'x',
      interval: 10,
    })
    expect((await scene.call('PATCH', `/${made.id}`, { interval: 20 }, as)).status).toBe(402)
    expect((await scene.call('PATCH', `/${made.id}`, { interval: 600 }, as)).status).toBe(200)
  })
})
