import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let second: TestBackend
beforeAll(async () => {
  scene = await startScene()
  second = await startTestBackend({ databaseUrl: scene.backend.databaseUrl, clock: scene.backend.clock })
})
afterAll(async () => {
  await second.close()
  await scene.backend.close()
})

const now = () => scene.backend.clock.now()
const iso = (ms = now()) => new Date(ms).toISOString()
const transitions = async (id: string) => (await scene.call('GET', `/${id}/transitions`)).body.transitions
const setStatus = async (id: string, status: 'down' | 'degraded') =>
  scene.backend.pool.db
    .updateTable('monitor_status')
    .set({ status })
    .where('monitor', '=', await scene.numberOf(id))
    .execute()
const audited = async (id: string) =>
  (
    await scene.backend.pool.db
      .selectFrom('audit_event')
      .select('action')
      .where('target_id', '=', parseId('monitor', id) as string)
      .orderBy('id')
      .execute()
  ).map(({ action }) => action)

describe('pause', () => {
  it('stops the checks in every region, invalidates running ones, and is audited [MON-11]', async () => {
    const made = await scene.make({ regions: ['local', 'eu-1'] })
    const before = await scene.scheduleOf(made.id)
    scene.backend.clock.advance(1_000)
    const { status, body } = await scene.call('POST', `/${made.id}/pause`)
    expect([status, body]).toEqual([200, { ...made, status: 'paused', status_since: iso() }])
    expect((await scene.call('GET', `/${made.id}`)).body).toEqual(body)
    for (const [region, row] of Object.entries(await scene.scheduleOf(made.id))) {
      expect(row).toMatchObject({ due_at: null, lease_until: 0 })
      expect(row['fence']).toBeGreaterThan(before[region]?.['fence'] as number)
    }
    expect(await transitions(made.id)).toEqual([{ at: iso(), from_status: 'up', to_status: 'paused', reason: 'paused' }])
    expect(await audited(made.id)).toEqual(['monitor.created', 'monitor.paused'])
  })

  it('of a paused monitor changes nothing [MON-13]', async () => {
    const { id } = await scene.make()
    const { body: paused } = await scene.call('POST', `/${id}/pause`)
    const schedule = await scene.scheduleOf(id)
    scene.backend.clock.advance(1_000)
    const { status, body } = await scene.call('POST', `/${id}/pause`)
    expect([status, body]).toEqual([200, paused])
    expect(await scene.scheduleOf(id)).toEqual(schedule)
    expect(await transitions(id)).toHaveLength(1)
    expect(await audited(id)).toEqual(['monitor.created', 'monitor.paused'])
  })

  it('accepts no body', async () => {
    const { id } = await scene.make()
    for (const verb of ['pause', 'resume']) {
      expect((await scene.call('POST', `/${id}/${verb}`, {})).status).toBe(200)
      const { status, body } = await scene.call('POST', `/${id}/${verb}`, { reason: 'x' })
      expect([status, body.error.details[0].path]).toEqual([400, 'reason'])
      expect((await scene.backend.call('POST', `/v1/monitors/${id}/${verb}?a=1`, { as: scene.admin })).status).toBe(400)
    }
  })
})

describe('resume', () => {
  it.each(['down', 'degraded'] as const)('goes back to %s, with a check at once [MON-12]', async (before) => {
    const { id } = await scene.make({ regions: ['local', 'eu-1'] })
    await setStatus(id, before)
    await scene.call('POST', `/${id}/pause`)
    scene.backend.clock.advance(90_000)
    const { status, body } = await scene.call('POST', `/${id}/resume`)
    expect([status, body.status, body.status_since]).toEqual([200, before, iso()])
    for (const row of Object.values(await scene.scheduleOf(id))) expect(row['due_at']).toBe(now())
    expect(await transitions(id)).toEqual([
      { at: iso(), from_status: 'paused', to_status: before, reason: 'resumed' },
      { at: iso(now() - 90_000), from_status: before, to_status: 'paused', reason: 'paused' },
    ])
    expect(await audited(id)).toEqual(['monitor.created', 'monitor.paused', 'monitor.resumed'])
  })

  it('of a running monitor changes nothing [MON-13]', async () => {
    const made = await scene.make()
    const schedule = await scene.scheduleOf(made.id)
    scene.backend.clock.advance(1_000)
    const { status, body } = await scene.call('POST', `/${made.id}/resume`)
    expect([status, body]).toEqual([200, made])
    expect(await scene.scheduleOf(made.id)).toEqual(schedule)
    expect(await transitions(made.id)).toEqual([])
    expect(await audited(made.id)).toEqual(['monitor.created'])
  })
})

it('many concurrent pauses and resumes on two instances leave a gapless list of transitions', async () => {
  const { id } = await scene.make()
  const verbs = Array.from({ length: 16 }, (_, index) => (index % 3 === 0 ? 'resume' : 'pause'))
  const answers = await Promise.all(
    verbs.map((verb, index) =>
      (index % 2 === 0 ? scene.backend : second).call('POST', `/v1/monitors/${id}/${verb}`, { as: scene.admin }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const { body } = await scene.call('GET', `/${id}`)
  const rows = await scene.backend.pool.db
    .selectFrom('monitor_transition')
    .select(['from_status', 'to_status'])
    .where('monitor', '=', await scene.numberOf(id))
    .execute()
  // All at one instant: what must hold is that as many left a status as came to it.
  const paused = rows.filter(({ to_status: to }) => to === 'paused').length
  expect(paused - (rows.length - paused)).toBe(body.status === 'paused' ? 1 : 0)
  expect(rows.every(({ from_status: from, to_status: to }) => from !== to)).toBe(true)
  expect(await scene.scheduleOf(id)).toMatchObject({ local: { due_at: body.status === 'paused' ? null : now() } })
})

describe('GET /v1/monitors/:id/transitions', () => {
  it('pages newest first, within [from, to) [MON-39]', async () => {
    const { id } = await scene.make()
    const instants: number[] = []
    for (const verb of ['pause', 'resume', 'pause', 'resume', 'pause']) {
      scene.backend.clock.advance(60_000)
      instants.unshift(now())
      await scene.call('POST', `/${id}/${verb}`)
    }
    const send = async (query: string) => (await scene.call('GET', `/${id}/transitions${query}`, undefined, scene.viewer)).body
    const at = ({ transitions: rows }: { transitions: { at: string }[] }) => rows.map((row) => Date.parse(row.at))
    expect(await send('')).toMatchObject({ total: 5, page: 1, limit: 20 })
    expect(at(await send(''))).toEqual(instants)
    expect(at(await send('?limit=2&page=2'))).toEqual(instants.slice(2, 4))
    expect(await send('?page=9')).toEqual({ transitions: [], total: 5, page: 9, limit: 20 })
    const [, to, , from] = instants as [number, number, number, number]
    expect(at(await send(`?from=${iso(from)}&to=${iso(to)}`))).toEqual(instants.slice(2, 4))
  })

  it.each(['from=x', 'to=2026-13-01T00:00:00Z', 'region=local', 'limit=101', 'page=0'])('?%s is a 400', async (query) => {
    const { id } = await scene.make()
    const { status, body } = await scene.call('GET', `/${id}/transitions?${query}`)
    expect([status, body.error.details[0].path]).toEqual([400, query.split('=')[0]])
  })

  it('a range that ends before its start is a 400', async () => {
    const { id } = await scene.make()
    const { status, body } = await scene.call('GET', `/${id}/transitions?from=${iso()}&to=${iso(now() - 1)}`)
    expect([status, body.error.details[0].path]).toEqual([400, 'to'])
  })
})
