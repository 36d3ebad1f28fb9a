import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { type Scene, startScene, UNKNOWN } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.backend.close())

const site = (name: string, more: object = {}) => ({ name, url: `https://example.com/${name}`, ...more })
const bulk = (body: unknown, as?: Credentials) => scene.call('POST', '/bulk', body, as)

/** An organization of its own, to count in. */
async function world() {
  const organization = await scene.backend.organization('Bulk')
  const as = await scene.backend.member(organization, 'admin')
  const names = async () => {
    const { body } = await scene.call('GET', '?limit=100&sort=name', undefined, as)
    return body.monitors.map(({ name }: { name: string }) => name)
  }
  return { organization, as, names }
}

describe('POST /v1/monitors/bulk', () => {
  it('pauses and resumes many, each once, and records who did', async () => {
    const { as } = await world()
    const made = [await scene.make(site('a'), as), await scene.make(site('b'), as), await scene.make(site('c'), as)]
    const ids = made.map(({ id }) => id)
    const statuses = async () =>
      Promise.all(ids.map(async (id) => (await scene.call('GET', `/${id}`, undefined, as)).body.status))
    const { status, body } = await bulk({ pause: ids.slice(0, 2) }, as)
    expect(status).toBe(200)
    expect(
      body.results.map(({ action, id, monitor }: { action: string; id: string; monitor: { status: string } }) => [
        action,
        id,
        monitor.status,
      ]),
    ).toEqual([
      ['pause', ids[0], 'paused'],
      ['pause', ids[1], 'paused'],
    ])
    // What is paused already stays as it is.
    expect((await bulk({ pause: [ids[0], ids[2]], resume: [ids[1]] }, as)).status).toBe(200)
    expect(await statuses()).toEqual(['paused', 'up', 'paused'])
    const { body: audit } = await scene.backend.call('GET', '/v1/audit-events?action=monitor.paused', { as })
    expect(audit.total).toBe(3)
    const twice = await bulk({ pause: [ids[1]], resume: [ids[1]] }, as)
    expect([twice.status, twice.body.error.details[0].path]).toEqual([400, 'resume.0'])
    const wrong = await bulk({ pause: [ids[1], UNKNOWN] }, as)
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'pause.1'])
    expect(await statuses()).toEqual(['paused', 'up', 'paused'])
  })

  it('restores all that it deleted, up to 500 at once, paused where they were, and records who did', async () => {
    const { as, names } = await world()
    const create = Array.from({ length: 500 }, (_, index) => site(`m${index}`))
    const ids: string[] = (await bulk({ create }, as)).body.results.map(({ id }: { id: string }) => id)
    const paused = [ids[3], ids[499]]
    await bulk({ pause: [...paused, ids[7]], resume: [] }, as)
    await bulk({ resume: [ids[7]] }, as)
    expect((await bulk({ delete: ids }, as)).status).toBe(200)
    expect(await names()).toEqual([])
    const { status, body } = await bulk({ restore: ids }, as)
    expect(status).toBe(200)
    type Result = { action: string; id: string; monitor: { name: string; status: string } }
    expect(body.results.map(({ action, id, monitor }: Result) => [action, id, monitor.name])).toEqual(
      ids.map((id, index) => ['restore', id, `m${index}`]),
    )
    const stopped = body.results.filter(({ monitor }: Result) => monitor.status === 'paused')
    expect(stopped.map(({ id }: Result) => id)).toEqual(paused)
    expect(Object.keys(await scene.scheduleOf(ids[7] as string))).toEqual(['local'])
    const restored = async () =>
      (await scene.backend.call('GET', '/v1/audit-events?action=monitor.restored', { as })).body.total as number
    expect([(await scene.call('GET', '', undefined, as)).body.total, await restored()]).toEqual([500, 500])
    // One that is not deleted stays as it is.
    expect((await bulk({ restore: [ids[3]] }, as)).body.results).toMatchObject([
      { action: 'restore', monitor: { status: 'paused' } },
    ])
    expect(await restored()).toBe(500)
  })

  it('restores all or none', async () => {
    const { as, organization } = await world()
    const made = [await scene.make(site('a'), as), await scene.make(site('b'), as)]
    const ids = made.map(({ id }) => id)
    const foreign = await scene.make()
    await scene.call('DELETE', `/${foreign.id}`)
    await bulk({ delete: ids }, as)
    const deleted = async () => (await scene.call('GET', '/deleted', undefined, as)).body.total
    for (const [refused, path] of [
      [{ restore: [ids[0], UNKNOWN] }, 'restore.1'],
      [{ restore: [ids[0], foreign.id] }, 'restore.1'],
      [{ restore: [ids[0], ids[0]] }, 'restore.1'],
      [{ restore: [ids[0]], delete: [ids[1]] }, 'delete.0'],
    ] as const) {
      const { status, body } = await bulk(refused, as)
      expect([status, body.error.details[0].path, await deleted()]).toEqual([400, path, 2])
    }
    // The plan allows one of the two.
    await scene.backend.pool.pg.query("update organization set plan = 'free' where number = $1", [organization.number])
    const free = (name: string) => site(name, { interval: 300 })
    await scene.backend.pool.pg.query('update monitor set interval_seconds = 300 where organization = $1', [organization.number])
    let more = 0
    while ((await bulk({ create: [free(`more ${more}`)] }, as)).status === 200) more += 1
    const { body: list } = await scene.call('GET', '', undefined, as)
    await scene.call('DELETE', `/${list.monitors[0].id}`, undefined, as)
    expect([(await bulk({ restore: ids }, as)).status, await deleted()]).toEqual([402, 3])
    expect([(await bulk({ restore: [ids[0]] }, as)).status, await deleted()]).toEqual([200, 2])
  })

  it('of the same deleted monitors run concurrently without an error', async () => {
    const { as } = await world()
    const made = await Promise.all(Array.from({ length: 6 }, (_, index) => scene.make(site(`m${index}`), as)))
    const ids = made.map(({ id }) => id)
    await bulk({ delete: ids }, as)
    const orders = [ids, ids.toReversed(), [...ids.slice(3), ...ids.slice(0, 3)]]
    const answers = await Promise.all(Array.from({ length: 9 }, (_, round) => bulk({ restore: orders[round % 3] }, as)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await scene.backend.call('GET', '/v1/audit-events?action=monitor.restored', { as })
    expect(body.total).toBe(6)
  })

  it('creates, changes and deletes, with one result each in order [MON-38]', async () => {
    const { as, names } = await world()
    const [kept, gone] = [await scene.make(site('kept'), as), await scene.make(site('gone'), as)]
    scene.backend.clock.advance(1_000)
    const { status, body } = await bulk(
      {
        delete: [gone.id],
        update: [{ id: kept.id, name: 'changed', interval: 120, headers: { 'X-Token': 'hunter22' } }],
        create: [site('b', { regions: ['eu-1', 'local'] }), site('a', { method: 'POST', body: 'x' })],
      },
      as,
    )
    expect(status).toBe(200)
    expect(body.results.map(({ action, id }: { action: string; id: string }) => [action, id])).toEqual([
      ['create', body.results[0].monitor.id],
      ['create', body.results[1].monitor.id],
      ['update', kept.id],
      ['delete', gone.id],
    ])
    for (const { monitor } of body.results.slice(0, 3))
      expect((await scene.call('GET', `/${monitor.id}`, undefined, as)).body).toEqual(monitor)
    expect(body.results[0].monitor).toMatchObject({ name: 'b', regions: ['eu-1', 'local'], status: 'up' })
    expect(body.results[2].monitor).toMatchObject({ name: 'changed', interval: 120, headers: { 'X-Token': 'hunter22' } })
    expect(body.results[3]).toEqual({ action: 'delete', id: gone.id })
    expect(await names()).toEqual(['a', 'b', 'changed'])
    expect(Object.keys(await scene.scheduleOf(body.results[0].id)).toSorted()).toEqual(['eu-1', 'local'])
    expect(Object.keys(await scene.scheduleOf(body.results[1].id))).toEqual(['local'])
    const events = await scene.backend.pool.db
      .selectFrom('audit_event')
      .select(['action', 'details'])
      .where(
        'target_id',
        'in',
        [kept.id, gone.id, ...body.results.map(({ id }: { id: string }) => id)].map((id) => parseId('monitor', id) as string),
      )
      .where('at', '=', new Date(scene.backend.clock.now()))
      .execute()
    expect(events.map(({ action }) => action).toSorted()).toEqual([
      'monitor.created',
      'monitor.created',
      'monitor.deleted',
      'monitor.updated',
    ])
    expect(JSON.stringify(events)).not.toContain('hunter22')
  })

  it('accepts 500 in total and not one more [MON-38]', async () => {
    const { as } = await world()
    const many = (count: number) => Array.from({ length: count }, (_, index) => site(`m${index}`))
    const first = await bulk({ create: many(500) }, as)
    expect([first.status, first.body.results.length]).toEqual([200, 500])
    expect((await scene.call('GET', '', undefined, as)).body.total).toBe(500)
    const ids: string[] = first.body.results.map(({ id }: { id: string }) => id)
    const [changed, removed] = [ids.slice(0, 250), ids.slice(250)]
    const tooMany = await bulk({ create: [site('x')], update: changed.map((id) => ({ id, name: 'x' })), delete: removed }, as)
    expect([tooMany.status, tooMany.body.error.code]).toEqual([400, 'validation_error'])
    const rest = await bulk({ update: changed.map((id) => ({ id, url: 'https://new.example.com/' })), delete: removed }, as)
    expect([rest.status, rest.body.results.length]).toEqual([200, 500])
    expect((await scene.call('GET', '?q=new.example', undefined, as)).body.total).toBe(250)
    expect((await scene.call('GET', '', undefined, as)).body.total).toBe(250)
  })

  it('changes nothing when one part is invalid, and names its path [MON-38]', async () => {
    const { as, names } = await world()
    const made = await scene.make(site('stands'), as)
    const foreign = await scene.make(site('foreign'))
    const server = await scene.backend.server(scene.organization)
    const cases: [path: string, body: object][] = [
      ['create.1.url', { create: [site('x'), { name: 'y' }] }],
      ['create.1.url', { create: [site('x'), site('y', { url: 'nonsense' })] }],
      ['create.0.regions.1', { create: [site('x', { regions: ['local', 'mars'] })] }],
      ['create.0.server_id', { create: [site('x', { server_id: server.id })] }],
      ['create.0.headers.A', { create: [site('x', { headers: { A: '•••' } })] }],
      ['create.0.timeout', { create: [site('x', { interval: 10, timeout: 20 })] }],
      ['create.0.id', { create: [site('x', { id: made.id })] }],
      ['update.0.id', { update: [{ name: 'x', interval: 60 }] }],
      ['update.0', { update: [{ id: made.id }] }],
      ['update.0.status', { update: [{ id: made.id, status: 'up' }] }],
      [
        'update.1.interval',
        {
          update: [
            { id: made.id, name: 'x' },
            { id: made.id, interval: 1 },
          ],
        },
      ],
      [
        'update.1.id',
        {
          update: [
            { id: made.id, name: 'x' },
            { id: made.id, name: 'y' },
          ],
        },
      ],
      ['update.0.body', { update: [{ id: made.id, body: 'x' }] }],
      ['delete.0', { update: [{ id: made.id, name: 'x' }], delete: [made.id] }],
      ['delete.1', { delete: [made.id, made.id] }],
      ['delete.0', { delete: [7] }],
      ['extra', { create: [], extra: [] }],
      ['create', { create: {} }],
      ['', {}],
    ]
    for (const id of [UNKNOWN, 'nonsense', foreign.id]) {
      cases.push(['update.0.id', { create: [site('x')], update: [{ id, name: 'x' }] }])
      cases.push(['delete.1', { create: [site('x')], delete: [made.id, id] }])
    }
    for (const [path, body] of cases) {
      const answer = await bulk(body, as)
      expect([answer.status, answer.body.error.details[0].path], JSON.stringify(body)).toEqual([400, path])
    }
    expect(await names()).toEqual(['stands'])
    expect((await scene.call('GET', `/${made.id}`, undefined, as)).body).toEqual(made)
    expect((await scene.call('GET', `/${foreign.id}`)).status).toBe(200)
  })

  it('gives the same error for unknown, malformed and foreign ids', async () => {
    const { as } = await world()
    const foreign = await scene.make()
    const answers = new Set<string>()
    for (const id of [UNKNOWN, 'nonsense', '', foreign.id]) {
      const { status, body } = await bulk({ delete: [id] }, as)
      answers.add(JSON.stringify([status, body.error.details]))
    }
    expect([...answers]).toEqual(['[400,[{"path":"delete.0","message":"must be a monitor of this organization"}]]'])
  })

  it('limits the number of reported faults', async () => {
    const { as } = await world()
    const { status, body } = await bulk({ create: Array.from({ length: 500 }, () => site('x', { regions: ['mars'] })) }, as)
    expect([status, body.error.details.length]).toEqual([400, 20])
  })

  it('requires the permission of each part before the body is validated [MON-38]', async () => {
    const { backend, organization } = scene
    const [one, two] = [await scene.make(), await scene.make()]
    for (const as of [await backend.member(organization, 'member'), await backend.apiKey(organization, 'write')]) {
      const { status, body } = await bulk({ create: [{ wrong: 1 }], delete: [one.id] }, as)
      expect([status, body.error.code]).toEqual([403, 'forbidden'])
      expect((await bulk({ delete: 7 }, as)).status).toBe(403)
      expect((await bulk({ update: [{ id: one.id, name: 'x' }], delete: [] }, as)).status).toBe(200)
    }
    const admin = await backend.apiKey(organization, 'admin')
    expect((await bulk({ delete: [two.id] }, admin)).status).toBe(200)
    expect((await bulk({ restore: [two.id] }, await backend.member(organization, 'member'))).status).toBe(403)
    expect((await bulk({ restore: [two.id] }, admin)).status).toBe(200)
    for (const as of [scene.viewer, await backend.apiKey(organization, 'read', 'agent')])
      expect((await bulk({ create: [site('x')] }, as)).status).toBe(403)
    expect((await bulk({ create: [site('x')] }, {})).status).toBe(401)
    expect((await scene.call('GET', `/${one.id}`)).status).toBe(200)
  })

  it('changes nothing with an empty body', async () => {
    const { status, body } = await bulk({ create: [], update: [], delete: [] })
    expect([status, body]).toEqual([200, { results: [] }])
  })

  it('is applied once under one Idempotency-Key', async () => {
    const { as, names } = await world()
    const send = () =>
      scene.backend.call('POST', '/v1/monitors/bulk', {
        as,
        headers: { 'idempotency-key': 'b' },
        body: { create: [site('once')] },
      })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect(await names()).toEqual(['once'])
  })

  it('of the same monitors in different orders run concurrently without an error', async () => {
    const { as } = await world()
    const made = await Promise.all(Array.from({ length: 6 }, (_, index) => scene.make(site(`m${index}`), as)))
    const orders = [made, made.toReversed(), [...made.slice(3), ...made.slice(0, 3)]]
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, round) =>
        bulk({ update: (orders[round % 3] as typeof made).map(({ id }) => ({ id, url: `https://example.com/${round}` })) }, as),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await scene.call('GET', '', undefined, as)
    expect(new Set(body.monitors.map(({ url }: { url: string }) => url)).size).toBe(1)
  })
})
