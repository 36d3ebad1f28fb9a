import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let second: TestBackend
beforeAll(async () => {
  const environment = { VEDETTE_RATE_LIMITS: 'write=1000' }
  scene = await startScene({ environment })
  const { databaseUrl, clock } = scene.backend
  second = await startTestBackend({ databaseUrl, clock, environment })
})
afterAll(async () => {
  await second.close()
  await scene.backend.close()
})

const now = () => scene.backend.clock.now()
/** As if each region had checked the monitor once and was due again in its interval. */
const setSchedule = async (id: string, values: { due_at: number; lease_until: number }) =>
  scene.backend.pool.db
    .updateTable('check_schedule')
    .set(values)
    .where('monitor', '=', await scene.numberOf(id))
    .execute()

describe('check now', () => {
  it('makes the check due at once in every region, also one that is claimed for later', async () => {
    const made = await scene.make({ regions: ['local', 'eu-1'] })
    await setSchedule(made.id, { due_at: now() + 3_000, lease_until: now() + 8_000 })
    const before = await scene.scheduleOf(made.id)
    const { status, body } = await scene.call('POST', `/${made.id}/check`)
    expect([status, body]).toEqual([200, made])
    const after = await scene.scheduleOf(made.id)
    expect(Object.keys(after).toSorted()).toEqual(['eu-1', 'local'])
    for (const [region, row] of Object.entries(after)) {
      expect(row).toMatchObject({ due_at: now(), lease_until: 0, anchor: before[region]?.['anchor'] })
      expect(row['fence']).toBeGreaterThan(before[region]?.['fence'] as number)
    }
  })

  it('leaves a check alone that is due or running', async () => {
    const { id } = await scene.make()
    await setSchedule(id, { due_at: now() - 500, lease_until: now() + 4_500 })
    const before = await scene.scheduleOf(id)
    expect((await scene.call('POST', `/${id}/check`)).status).toBe(200)
    expect(await scene.scheduleOf(id)).toEqual(before)
  })

  it('accepts no body', async () => {
    const { id } = await scene.make()
    const { status, body } = await scene.call('POST', `/${id}/check`, { regions: ['local'] })
    expect([status, body.error.details[0].path]).toEqual([400, 'regions'])
  })

  it('of a paused monitor and of a heartbeat is a 409 that says why', async () => {
    const paused = await scene.make()
    await scene.call('POST', `/${paused.id}/pause`)
    const schedule = await scene.scheduleOf(paused.id)
    const beat = await scene.make({
      type: 'heartbeat',
      url: 'heartbeat://nightly',
      options: { schedule: { period_seconds: 60, grace_seconds: 60 } },
    })
    for (const [id, message] of [
      [paused.id, 'The monitor is paused. Resume it first.'],
      [beat.id, 'A heartbeat is not checked: it waits for pings.'],
    ]) {
      const { status, body } = await scene.call('POST', `/${id}/check`)
      expect([status, body.error]).toMatchObject([409, { code: 'conflict', message }])
    }
    expect(await scene.scheduleOf(paused.id)).toEqual(schedule)
  })

  it('is allowed six times a minute for a monitor, over all backends and callers', async () => {
    const [one, other] = [await scene.make(), await scene.make()]
    const owner = await scene.backend.member(scene.organization, 'owner')
    const check = (backend: TestBackend, id: string) =>
      backend.call('POST', `/v1/monitors/${id}/check`, { as: backend === second ? owner : scene.admin })
    for (const backend of [scene.backend, second, second, scene.backend, scene.backend, second])
      expect((await check(backend, one.id)).status).toBe(200)
    for (const backend of [scene.backend, second]) {
      const { status, body, headers } = await check(backend, one.id)
      expect([status, body.error.code]).toEqual([429, 'rate_limited'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await check(second, other.id)).status).toBe(200)
  })
})
