import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../../../test/answer.ts'
import { costOf } from '../../../../test/cost-of.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'
import { listShiftsOfAll } from '../service.ts'

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials
let ada: string
let ben: string
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  ada = encodeId('user', (await backend.member(organization, 'member')).userId)
  ben = encodeId('user', (await backend.member(organization, 'viewer')).userId)
})
afterAll(() => backend.close())

const call = (method: string, path: string, body?: object, as = owner) =>
  backend.call(method, `/v1/schedules${path}`, { as, ...(body && { body }) })
const create = async (body: object): Promise<string> => (await call('POST', '', { name: 'Shop', ...body })).body.id
const weekly = (...userIds: string[]) => ({
  user_ids: userIds,
  starts_at: '2026-11-02T08:00:00.000Z',
  ends_at: null,
  repeat: 'FREQ=WEEKLY;BYDAY=MO',
  restrictions: [],
})
const faults = ({ status, body }: Answer) => [status, body.error?.details?.map(({ path }: { path: string }) => path)]

describe('/v1/schedules', () => {
  it('creates, reads, lists, changes and deletes a schedule, and audits each [DUTY-04]', async () => {
    const made = await call('POST', '', { name: 'Shop', time_zone: 'Europe/Berlin', layers: [weekly(ada, ben)] })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^sch_/), layers: [weekly(ada, ben)], overrides: [] })
    const { id } = made.body
    expect((await call('GET', '')).body.schedules).toEqual([made.body])
    const got = await backend.call('GET', `/v1/schedules/${id}`, { as: owner })
    const headers = { 'if-match': String(got.headers['etag']) }
    backend.clock.advance(1_000)
    const overrides = [{ user_id: ada, starts_at: '2026-11-10T08:00:00.000Z', ends_at: '2026-11-11T08:00:00.000Z' }]
    const changed = await backend.call('PATCH', `/v1/schedules/${id}`, { as: owner, body: { overrides }, headers })
    expect(changed.body).toMatchObject({ name: 'Shop', layers: [weekly(ada, ben)], overrides })
    const late = await backend.call('PATCH', `/v1/schedules/${id}`, { as: owner, body: { name: 'x' }, headers })
    expect(late.status).toBe(412)
    // Everything as it was read may be sent back.
    expect((await call('PATCH', `/${id}`, changed.body)).body.updated_at).toBe(changed.body.updated_at)
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await call('GET', `/${id}`)).status).toBe(404)
    const { body: audit } = await backend.call('GET', '/v1/audit-events', { as: owner })
    expect(
      audit.audit_events.map(({ action }: { action: string }) => action).filter((one: string) => one.startsWith('schedule')),
    ).toEqual(['schedule.deleted', 'schedule.updated', 'schedule.created'])
  })

  it('says who is on duty, and who next [DUTY-05]', async () => {
    const id = await create({ time_zone: 'Europe/Berlin', layers: [weekly(ada, ben)] })
    const { db } = backend.pool
    await db
      .updateTable('app_user')
      .set({ name: 'Ada' })
      .where('id', '=', parseId('user', ada) as string)
      .execute()
    const { body } = await call('GET', `/${id}/on-call?at=2026-11-08T00:00:00Z`)
    expect(body).toMatchObject({
      at: '2026-11-08T00:00:00.000Z',
      current: [{ user_id: ada, name: 'Ada', to: '2026-11-09T08:00:00.000Z', layer: 0 }],
      next: [{ user_id: ben, name: null, from: '2026-11-09T08:00:00.000Z', to: '2026-11-16T08:00:00.000Z' }],
    })
    expect((await call('GET', `/${id}/on-call?at=2026-11-01T00:00:00Z`)).body).toMatchObject({
      current: [],
      next: [{ user_id: ada, from: '2026-11-02T08:00:00.000Z' }],
    })
    const { body: now } = await call('GET', `/${id}/on-call`)
    expect(now.at).toBe(new Date(backend.clock.now()).toISOString())
  })

  it('has one shift of somebody who stays from one layer to another [DUTY-06]', async () => {
    const restrictions = [{ days: ['MO'], from: '09:00', to: '12:00' }]
    const id = await create({ time_zone: 'Europe/Berlin', layers: [weekly(ada, ben), { ...weekly(ada), restrictions }] })
    expect((await call('GET', `/${id}/on-call?at=2026-11-16T09:00:00Z`)).body).toMatchObject({
      current: [{ user_id: ada, layer: 1, to: '2026-11-23T11:00:00.000Z' }],
      next: [{ user_id: ben, layer: 0, from: '2026-11-23T11:00:00.000Z' }],
    })
  })

  it('lists all who are on duty together, and all who are next [DUTY-23]', async () => {
    const cem = encodeId('user', (await backend.member(organization, 'member')).userId)
    const body = { ...weekly(), user_ids: [[ada, ben], [ben, cem], []], ends_at: '2026-11-20T00:00:00.000Z' }
    const id = await create({ layers: [body] })
    expect((await call('GET', `/${id}`)).body.layers).toEqual([body])
    const idsAt = async (at: string) => {
      const { current, next } = (await call('GET', `/${id}/on-call?at=${at}`)).body
      return [current, next].map((shifts: { user_id: string }[]) => shifts.map(({ user_id: userId }) => userId))
    }
    expect(await idsAt('2026-11-03T00:00:00Z')).toEqual([[ada, ben], [cem]])
    expect(await idsAt('2026-11-01T00:00:00Z')).toEqual([[], [ada, ben]])
    expect(await idsAt('2026-11-19T00:00:00Z')).toEqual([[], []])
    const { body: range } = await call('GET', `/${id}/shifts?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z`)
    expect(range.shifts.map(({ user_id: userId, to }: { user_id: string; to: string }) => [userId, to])).toEqual([
      [ada, '2026-11-09T08:00:00.000Z'],
      [ben, '2026-11-16T08:00:00.000Z'],
      [cem, '2026-11-16T08:00:00.000Z'],
    ])
    expect(range.gaps).toHaveLength(2)
    // A layer that is written without them has neither an end nor a rule.
    const { ends_at: _end, repeat: _repeat, ...least } = weekly(ada)
    expect((await call('PATCH', `/${id}`, { layers: [least] })).body.layers).toEqual([{ ...weekly(ada), repeat: null }])
  })

  it('lists shifts and gaps of a range [DUTY-07]', async () => {
    const restrictions = [{ days: ['MO'], from: '09:00', to: '12:00' }]
    const id = await create({ time_zone: 'Europe/Berlin', layers: [{ ...weekly(ada), restrictions }] })
    const { body } = await call('GET', `/${id}/shifts?from=2026-11-09T00:00:00Z&to=2026-11-10T00:00:00Z`)
    expect(body.shifts).toMatchObject([{ user_id: ada, from: '2026-11-09T08:00:00.000Z', to: '2026-11-09T11:00:00.000Z' }])
    expect(body.gaps).toEqual([
      { from: '2026-11-09T00:00:00.000Z', to: '2026-11-09T08:00:00.000Z' },
      { from: '2026-11-09T11:00:00.000Z', to: '2026-11-10T00:00:00.000Z' },
    ])
  })

  it('lists those of a page of schedules as each says itself, at three statements [DUTY-24]', async () => {
    const other = await backend.organization()
    const range = 'from=2026-11-09T00:00:00Z&to=2026-11-20T00:00:00Z'
    const shop = await backend.member(other, 'owner')
    const user = encodeId('user', shop.userId)
    const layers = [[weekly(user)], [{ ...weekly(user), restrictions: [{ days: ['MO'], from: '09:00', to: '12:00' }] }], []]
    const made = []
    for (const one of layers) made.push((await call('POST', '', { name: 'Shop', layers: one }, shop)).body.id)
    await create({ layers: [weekly(ada)] })
    const list = (own: string) => backend.call('GET', `/v1/shifts?${range}${own}`, { as: shop })
    const pages = [await list('&limit=2'), await list('&limit=2&page=2')]
    expect(pages.map(({ body: { total, page, limit } }) => [total, page, limit])).toEqual([
      [3, 1, 2],
      [3, 2, 2],
    ])
    const found = pages.flatMap(({ body }) => body.schedules)
    expect(found.map((one) => one.schedule_id)).toEqual(made.toReversed())
    for (const { schedule_id: id, ...shown } of found) {
      const { from, to, ...own } = (await call('GET', `/${id}/shifts?${range}`, undefined, shop)).body
      expect(shown).toEqual(own)
      expect([from, to]).toEqual([pages[0]?.body.from, pages[0]?.body.to])
    }
    expect(faults(await list('&from=yesterday'))).toEqual([400, ['from']])
    const tenant = { number: other.number, id: other.id }
    const { statements } = await costOf(backend.pool.db, (db) =>
      listShiftsOfAll({ db, clock: backend.clock }, tenant, { page: 1, limit: 100 }),
    )
    expect(statements).toBeLessThanOrEqual(3)
  })

  it('has nobody on duty who has left; other fields can still be changed [DUTY-08]', async () => {
    const leaving = await backend.member(organization, 'member')
    const userId = encodeId('user', leaving.userId)
    const id = await create({ layers: [weekly(userId)] })
    const now = '2026-11-08T00:00:00Z'
    expect((await call('GET', `/${id}/on-call?at=${now}`)).body.current[0].user_id).toBe(userId)
    await backend.call('DELETE', `/v1/organizations/${organization.id}/members/${userId}`, { as: owner })
    expect((await call('GET', `/${id}/on-call?at=${now}`)).body).toMatchObject({ current: [], next: [] })
    expect((await call('PATCH', `/${id}`, { name: 'Renamed' })).status).toBe(200)
    expect(faults(await call('PATCH', `/${id}`, { layers: [weekly(userId)] }))).toEqual([400, ['layers.0.user_ids.0']])
  })

  it.each<[string, object, string]>([
    ['somebody else’s user', { layers: [weekly('usr_01m7ynqmvge6rtzgyzr2m4jq4p')] }, 'layers.0.user_ids.0'],
    ['a layer of nobody', { layers: [weekly()] }, 'layers.0.user_ids'],
    ['a rule by minutes', { layers: [{ ...weekly('ada'), repeat: 'FREQ=MINUTELY' }] }, 'layers.0.repeat'],
    ['hours of some days', { layers: [{ ...weekly('ada'), repeat: 'FREQ=HOURLY;BYDAY=MO' }] }, 'layers.0.repeat'],
    ['turns of no hour', { layers: [{ ...weekly('ada'), repeat: 'FREQ=HOURLY;INTERVAL=0' }] }, 'layers.0.repeat'],
    ['turns of 1,000 hours', { layers: [{ ...weekly('ada'), repeat: 'FREQ=HOURLY;INTERVAL=1000' }] }, 'layers.0.repeat'],
    ['an end at the start', { layers: [{ ...weekly('ada'), ends_at: '2026-11-02T08:00:00Z' }] }, 'layers.0.ends_at'],
    ['an end that does not exist', { layers: [{ ...weekly('ada'), ends_at: '2027-02-30T08:00:00Z' }] }, 'layers.0.ends_at'],
    [
      'somebody else’s user in a turn',
      { layers: [{ ...weekly(), user_ids: [['ada', 'usr_01m7ynqmvge6rtzgyzr2m4jq4p']] }] },
      'layers.0.user_ids.0.1',
    ],
    [
      'a turn of 21 people',
      { layers: [{ ...weekly(), user_ids: [Array.from({ length: 21 }, (_, index) => `usr_${index}`)] }] },
      'layers.0.user_ids.0',
    ],
    ['somebody twice in a turn', { layers: [{ ...weekly(), user_ids: [['ada', 'ada']] }] }, 'layers.0.user_ids.0'],
    ['51 turns', { layers: [weekly(...Array.from({ length: 51 }, () => 'ada'))] }, 'layers.0.user_ids'],
    [
      'an instant that does not exist',
      { layers: [{ ...weekly('ada'), starts_at: '2026-02-30T00:00:00Z' }] },
      'layers.0.starts_at',
    ],
    ['a start 17 years ago', { layers: [{ ...weekly('ada'), starts_at: '2009-11-02T08:00:00Z' }] }, 'layers.0.starts_at'],
    [
      'hours of 25',
      { layers: [{ ...weekly('ada'), restrictions: [{ days: ['MO'], from: '25:00', to: '09:00' }] }] },
      'layers.0.restrictions.0.from',
    ],
    ['a time zone that does not exist', { time_zone: 'Mars/Olympus' }, 'time_zone'],
    [
      'an override that ends first',
      {
        overrides: [{ user_id: 'ada', starts_at: '2026-11-10T08:00:00Z', ends_at: '2026-11-10T08:00:00Z' }],
      },
      'overrides.0.ends_at',
    ],
    ['21 layers', { layers: Array.from({ length: 21 }, () => weekly('ada')) }, 'layers'],
    [
      '201 overrides',
      {
        overrides: Array.from({ length: 201 }, () => ({
          user_id: 'ada',
          starts_at: '2026-12-01T08:00:00Z',
          ends_at: '2026-12-01T09:00:00Z',
        })),
      },
      'overrides',
    ],
  ])('refuses %s', async (_name, body, path) => {
    const text = JSON.stringify({ name: 'Shop', ...body }).replaceAll('"ada"', JSON.stringify(ada))
    expect(faults(await call('POST', '', JSON.parse(text)))).toEqual([400, [path]])
  })

  it.each([
    ['from=2026-11-09T00:00:00Z&to=2026-11-09T00:00:00Z', 'to'],
    ['from=2026-11-09T00:00:00Z&to=2027-02-10T00:00:00Z', 'to'],
    ['from=yesterday', 'from'],
  ])('refuses the range %s', async (query, path) => {
    expect(faults(await call('GET', `/${await create({})}/shifts?${query}`))).toEqual([400, [path]])
  })

  it('answers the largest schedule over the longest range [DUTY-09]', async () => {
    const restrictions = Array.from({ length: 10 }, (_, hour) => ({
      days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'],
      from: `0${hour}:00`,
      to: `0${hour}:30`,
    }))
    const layers = Array.from({ length: 10 }, () => ({
      ...weekly(...Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? ada : ben))),
      starts_at: '2021-01-01T00:00:00.000Z',
      repeat: 'FREQ=DAILY',
      restrictions,
    }))
    const id = await create({ layers })
    const { body } = await call('GET', `/${id}/shifts?from=2026-11-01T00:00:00Z&to=2027-02-01T00:00:00Z`)
    expect([body.shifts.length, body.gaps.length]).toEqual([920, 920])
  })

  it('is found in its organization only, and written by those who write alert rules [DUTY-10]', async () => {
    const id = await create({})
    const other = await backend.member(await backend.organization(), 'owner')
    expect((await call('GET', `/${id}/on-call`, undefined, other)).status).toBe(404)
    const viewer = await backend.member(organization, 'viewer')
    expect((await call('PATCH', `/${id}`, { name: 'x' }, viewer)).status).toBe(403)
    expect((await call('GET', `/${id}`, undefined, viewer)).status).toBe(200)
  })
})

it('an instant more than ten years from now is refused by its field, and the last one before is answered [DUTY-11]', async () => {
  const daily = { user_ids: [ada, ben], starts_at: '2018-11-20T08:00:00.000Z', repeat: 'FREQ=DAILY' }
  const id = await create({ layers: [daily] })
  const farMs = backend.clock.now() + 3_652.5 * 86_400_000
  for (const [path, field] of [
    ['on-call?at=', 'at'],
    ['shifts?from=', 'from'],
  ] as const) {
    const refused = await call('GET', `/${id}/${path}${new Date(farMs + 60_000).toISOString()}`)
    const details = [{ path: field, message: 'must be at most 10 years from now' }]
    expect([refused.status, refused.body.error.details]).toEqual([400, details])
    expect((await call('GET', `/${id}/${path}9990-01-01T00:00:00.000Z`)).status).toBe(400)
    expect((await call('GET', `/${id}/${path}${new Date(farMs).toISOString()}`)).status).toBe(200)
  }
  // Two people by turns: after an even number of days it is the first one.
  const days = Math.floor((farMs - Date.parse(daily.starts_at)) / 86_400_000)
  const { body } = await call('GET', `/${id}/on-call?at=${new Date(farMs).toISOString()}`)
  expect(body.current[0].user_id).toBe(days % 2 === 0 ? ada : ben)
})
