import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials } from '../../../../test/harness.ts'
import { type KeptCheck, type Scene, startScene } from './scene.ts'

const DAY = 86_400_000

let scene: Scene
let id: string
beforeAll(async () => {
  scene = await startScene()
  id = (await scene.make({ regions: ['local', 'eu-1'] })).id
  const start = scene.backend.clock.now()
  const checks: KeptCheck[] = Array.from({ length: 15 }, (_, index) => ({ at: start - index * 60_000 }))
  await scene.keep(
    id,
    ...checks,
    ...checks.map(({ at }) => ({ at, region: 'eu-1', outcome: 1 as const })),
    { at: start - 2 * DAY, outcome: 2, responseUs: null, error: { code: 'dns', message: 'no such name' } },
    { at: start - 3 * DAY, outcome: 3, responseUs: null, error: { code: 'internal', message: 'our own fault' } },
  )
  await scene.keep((await scene.make()).id, { at: start })
})
afterAll(() => scene.backend.close())

const now = () => scene.backend.clock.now()
const iso = (ms: number) => new Date(ms).toISOString()
const send = async (query = '', as: Credentials = scene.viewer) =>
  (await scene.call('GET', `/${id}/checks${query}`, undefined, as)).body
const brief = ({ checks }: { checks: { checked_at: string; region: string }[] }) =>
  checks.map(({ checked_at: at, region }) => `${(Date.parse(at) - now()) / 1000} ${region}`)

describe('GET /v1/monitors/:id/checks', () => {
  it('lists checks newest first, equal instants by region, with every field [CHECK-03, CHECK-08]', async () => {
    const body = await send()
    expect(body).toMatchObject({ total: 32, page: 1, limit: 20 })
    expect(brief(body).slice(0, 4)).toEqual(['0 eu-1', '0 local', '-60 eu-1', '-60 local'])
    expect(body.checks[1]).toEqual({
      checked_at: iso(now()),
      region: 'local',
      outcome: 'up',
      status_code: 200,
      response_ms: 12.345,
      dns_ms: 1,
      connect_ms: null,
      tls_ms: null,
      first_byte_ms: null,
      transfer_ms: null,
      error: null,
      address: '192.0.2.80',
      facts: {},
    })
    const pages = [...body.checks, ...(await send('?page=2')).checks]
    expect(new Set(pages.map((check) => `${check.checked_at} ${check.region}`)).size).toBe(32)
    expect(pages.at(-2)).toMatchObject({ outcome: 'down', response_ms: null, error: { code: 'dns', message: 'no such name' } })
    expect(pages.at(-1)).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
    expect(await send('?page=3')).toEqual({ checks: [], total: 32, page: 3, limit: 20 })
  })

  it('filters by region, outcome and [from, to) [MON-40]', async () => {
    expect(await send('?region=eu-1')).toMatchObject({ total: 15 })
    expect(await send('?region=us-1')).toEqual({ checks: [], total: 0, page: 1, limit: 20 })
    for (const [status, total] of Object.entries({ up: 15, degraded: 15, down: 1, inconclusive: 1 }))
      expect((await send(`?status=${status}`)).total, status).toBe(total)
    const range = `?from=${iso(now() - 120_000)}&to=${iso(now() - 60_000)}`
    expect(brief(await send(range))).toEqual(['-120 eu-1', '-120 local'])
    expect(brief(await send(`${range}&region=local`))).toEqual(['-120 local'])
    expect(await send(`?to=${iso(now() - DAY)}`)).toMatchObject({ total: 2 })
    expect(await send(`?from=${iso(now() - 2 * DAY)}&to=${iso(now() - 2 * DAY + 1)}`)).toMatchObject({ total: 1 })
  })

  it.each([
    'region=mars',
    'region=',
    'status=paused',
    'from=yesterday',
    'to=2026-02-30T00:00:00Z',
    'limit=0',
    'page=0',
    'period=7d',
  ])('?%s is a 400 that names it', async (query) => {
    const { status, body } = await scene.call('GET', `/${id}/checks?${query}`)
    expect([status, body.error.details[0].path]).toEqual([400, query.split('=')[0]])
  })

  it('a range that ends before its start is a 400', async () => {
    const { status, body } = await scene.call('GET', `/${id}/checks?from=${iso(now())}&to=${iso(now() - 1)}`)
    expect([status, body.error.details[0].path]).toEqual([400, 'to'])
  })

  it('reaches back as far as the plan allows', async () => {
    const put = (plan: 'free' | 'enterprise') =>
      scene.backend.pool.db.updateTable('organization').set({ plan }).where('number', '=', scene.organization.number).execute()
    await put('free')
    expect([(await send()).total, (await send(`?from=${iso(now() - 5 * DAY)}`)).total]).toEqual([30, 30])
    await put('enterprise')
    expect((await send()).total).toBe(32)
  })
})

it('the details have the 20 newest of them [MON-07]', async () => {
  const { body } = await scene.call('GET', `/${id}`)
  expect(body.recent_checks).toEqual((await send('?limit=20')).checks)
})
