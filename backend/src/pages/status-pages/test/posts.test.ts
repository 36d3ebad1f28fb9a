import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let monitors: string[]
let page: string
let pages = 0
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  monitors = await Promise.all(['internal-shop-01', 'internal-login-01', 'other'].map(makeMonitor))
  page = await makePage()
})

const send = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
  backend.call(method, url, { as: admin, body, headers })
const iso = (ms: number) => new Date(ms).toISOString()
const minutes = (count: number) => backend.clock.advance(count * 60_000)
const makeMonitor = async (name: string): Promise<string> =>
  (await send('POST', '/v1/monitors', { name, url: `https://${name}.corp.example/health`, tags: [name] })).body.id

/** It shows the first two monitors: one by id with a public name, one by tag. */
async function makePage(own: object = {}): Promise<string> {
  const [shop] = monitors as [string, string, string]
  const sections = [
    { name: 'Services', monitors: [shop], names: { [shop]: 'Shop' } },
    { name: 'Tagged', tag: 'internal-login-01' },
  ]
  const body = { name: 'page', slug: `page-${(pages += 1)}`, title: 'Acme', sections, time_zone: 'Europe/Berlin', ...own }
  return `/v1/status-pages/${(await send('POST', '/v1/status-pages', body)).body.id}`
}

const make = (own: object = {}) => send('POST', `${page}/posts`, { type: 'incident', title: 'Slow', text: 'We look.', ...own })
const update = (post: { id: string }, own: object) => send('POST', `${page}/posts/${post.id}/updates`, { text: 'News.', ...own })
const get = async (post: { id: string }) => (await send('GET', `${page}/posts/${post.id}`)).body
const setStatus = (id: string, status: 'up' | 'down' | 'degraded') =>
  backend.pool.db
    .updateTable('monitor_status')
    .set({ status })
    .where('monitor', '=', (select) =>
      select
        .selectFrom('monitor')
        .select('number')
        .where('id', '=', parseId('monitor', id) as string),
    )
    .execute()
/** From an hour from now on, for an hour. */
const planned = () => {
  const nowMs = backend.clock.now()
  return { type: 'maintenance', starts_at: iso(nowMs + 3_600_000), ends_at: iso(nowMs + 7_200_000) }
}
const faults = ({ status, body }: Awaited<ReturnType<typeof make>>) => [
  status,
  body.error?.details?.map(({ path }: { path: string }) => path),
]

describe('posts of a status page', () => {
  it('are created, shown, listed, updated and deleted [STATUS-41]', async () => {
    const { status, body, headers } = await make({ monitors: monitors.slice(0, 2) })
    expect([status, headers['location']]).toEqual([201, `${page}/posts/${body.id}`])
    const at = iso(backend.clock.now())
    expect(body).toEqual({
      id: expect.stringMatching(/^pst_/),
      type: 'incident',
      title: 'Slow',
      status: 'investigating',
      impact: 'none',
      monitors: monitors.slice(0, 2),
      incident_id: null,
      starts_at: at,
      ends_at: null,
      resolved_at: null,
      created_at: at,
      updated_at: at,
      updates: [{ id: expect.stringMatching(/^pup_/), at, status: 'investigating', text: 'We look.' }],
    })
    expect(await get(body)).toEqual(body)
    const { updates: _, ...item } = body
    expect((await send('GET', `${page}/posts`)).body).toEqual({ posts: [item], total: 1, page: 1, limit: 20 })
    minutes(1)
    const changed = (await send('PATCH', `${page}/posts/${body.id}`, { title: 'Very slow', impact: 'major' })).body
    expect(changed).toEqual({ ...body, title: 'Very slow', impact: 'major', updated_at: iso(backend.clock.now()) })
    expect((await send('DELETE', `${page}/posts/${body.id}`)).status).toBe(204)
    expect((await send('GET', `${page}/posts/${body.id}`)).status).toBe(404)
  })

  it('are audited with every change [STATUS-42]', async () => {
    const post = (await make()).body
    const { id } = (await update(post, { status: 'identified' })).body
    await send('PATCH', `${page}/posts/${post.id}/updates/${id}`, { text: 'Corrected.' })
    await send('PATCH', `${page}/posts/${post.id}`, { title: 'Other' })
    await send('DELETE', `${page}/posts/${post.id}`)
    const { audit_events: events } = (await send('GET', '/v1/audit-events?limit=5')).body
    expect(events.map(({ action }: { action: string }) => action)).toEqual([
      'status_post.deleted',
      'status_post.updated',
      'status_post.update_corrected',
      'status_post.update_added',
      'status_post.created',
    ])
  })

  it('of another page or organization are not found [STATUS-43]', async () => {
    const post = (await make()).body
    const other = await makePage()
    expect((await send('GET', `${other}/posts/${post.id}`)).status).toBe(404)
    expect((await send('POST', `${other}/posts/${post.id}/updates`, { text: 'x' })).status).toBe(404)
    expect((await send('DELETE', `${other}/posts/${post.id}`)).status).toBe(404)
    const outsider = await backend.member(await backend.organization(), 'owner')
    for (const path of ['', `/${post.id}`, `/draft?monitor=${monitors[0]}`])
      expect((await backend.call('GET', `${page}/posts${path}`, { as: outsider })).status, path).toBe(404)
    expect(
      (await backend.call('POST', `${page}/posts`, { as: outsider, body: { type: 'incident', title: 'x', text: 'y' } })).status,
    ).toBe(404)
  })

  it('are changed by who may change monitors alone [STATUS-44]', async () => {
    const post = (await make()).body
    const viewer = await backend.member(organization, 'viewer')
    expect((await backend.call('GET', `${page}/posts/${post.id}`, { as: viewer })).status).toBe(200)
    expect((await backend.call('POST', `${page}/posts/${post.id}/updates`, { as: viewer, body: { text: 'x' } })).status).toBe(403)
  })

  it('are not changed by who has seen an older version [STATUS-45]', async () => {
    const { headers, body } = await make()
    const etag = String((await send('GET', `${page}/posts/${body.id}`)).headers['etag'])
    minutes(1)
    await update(body, { status: 'identified' })
    const late = await send('PATCH', `${page}/posts/${body.id}`, { title: 'Late' }, { 'if-match': etag })
    expect([late.status, headers['etag']]).toEqual([412, undefined])
  })

  it.each([
    ['starts_at', () => ({ starts_at: iso(backend.clock.now() + 1_000) })],
    ['ends_at', () => ({ ends_at: iso(backend.clock.now()) })],
    ['status', () => ({ status: 'scheduled' })],
    ['monitors.0', () => ({ monitors: [monitors[2]] })],
    ['incident_id', () => ({ incident_id: 'inc_nothing' })],
    ['starts_at', () => ({ type: 'maintenance', ends_at: iso(backend.clock.now()) })],
    ['ends_at', () => ({ ...planned(), ends_at: undefined })],
    ['ends_at', () => ({ ...planned(), ends_at: planned().starts_at })],
    ['ends_at', () => ({ ...planned(), ends_at: iso(backend.clock.now() + 32 * 86_400_000 + 3_600_001) })],
    ['status', () => ({ ...planned(), status: 'resolved' })],
  ] as const)('with a wrong %s are refused by name', async (path, own) => {
    expect(faults(await make(own()))).toEqual([400, [path]])
  })

  it('keep a monitor that has left the page [STATUS-46]', async () => {
    const post = (await make({ monitors: monitors.slice(0, 1) })).body
    await send('PATCH', page, { sections: [] })
    expect((await send('PATCH', `${page}/posts/${post.id}`, { monitors: monitors.slice(0, 1), title: 'Same' })).status).toBe(200)
    expect(faults(await send('PATCH', `${page}/posts/${post.id}`, { monitors: monitors.slice(1, 2) }))).toEqual([
      400,
      ['monitors.0'],
    ])
  })

  it('have at most a hundred updates [STATUS-47]', async () => {
    const post = (await make()).body
    const { db } = backend.pool
    const stored = {
      organization: organization.number,
      post_id: parseId('post', post.id) as string,
      status: 'monitoring' as const,
      text: 'x',
    }
    const rows = Array.from({ length: 98 }, (_, index) => ({ ...stored, id: crypto.randomUUID(), at: new Date(index) }))
    await db.insertInto('status_post_update').values(rows).execute()
    expect((await update(post, {})).status).toBe(201)
    expect((await update(post, {})).status).toBe(409)
  })
})

describe('the impact of an incident', () => {
  it('follows from the present statuses of what it affects where nobody chooses it [STATUS-48]', async () => {
    const [shop, login] = monitors as [string, string, string]
    const impact = async (own: object) => (await make(own)).body.impact
    await setStatus(shop, 'degraded')
    expect([await impact({ monitors: [shop] }), await impact({ monitors: [login] }), await impact({})]).toEqual([
      'minor',
      'none',
      'none',
    ])
    await setStatus(shop, 'down')
    expect([await impact({ monitors: [shop] }), await impact({ monitors: [shop], impact: 'minor' })]).toEqual(['major', 'minor'])
    await setStatus(login, 'down')
    expect(await impact({ monitors: [shop] })).toBe('critical')
  })
})

describe('updates of an incident', () => {
  it('give it their status; it ends with resolved, and is open again with another status [STATUS-49]', async () => {
    const post = (await make()).body
    minutes(1)
    const added = await update(post, { status: 'resolved', text: 'Done.' })
    expect([added.status, added.body]).toMatchObject([201, { status: 'resolved', text: 'Done.' }])
    const resolvedAt = iso(backend.clock.now())
    minutes(1)
    await update(post, {})
    expect(await get(post)).toMatchObject({ status: 'resolved', resolved_at: resolvedAt })
    await update(post, { status: 'identified' })
    const { status, resolved_at: ended, updates } = await get(post)
    expect([status, ended]).toEqual(['identified', null])
    expect(updates.map((one: { status: string }) => one.status)).toEqual(['identified', 'resolved', 'resolved', 'investigating'])
    expect(faults(await update(post, { status: 'completed' }))).toEqual([400, ['status']])
  })

  it('are corrected in place [STATUS-50]', async () => {
    const post = (await make()).body
    const path = `${page}/posts/${post.id}/updates/${post.updates[0].id}`
    expect((await send('PATCH', path, { text: 'We looked.' })).body).toEqual({ ...post.updates[0], text: 'We looked.' })
    expect((await get(post)).updates).toEqual([{ ...post.updates[0], text: 'We looked.' }])
  })
})

describe('a maintenance', () => {
  it('is scheduled, in progress and completed by its times [STATUS-51]', async () => {
    const post = (await make(planned())).body
    const states = [post.status]
    for (const step of [60, 60]) {
      minutes(step)
      states.push((await get(post)).status)
    }
    expect(states).toEqual(['scheduled', 'in_progress', 'completed'])
    expect((await get(post)).resolved_at).toBe(post.ends_at)
  })

  it.each([
    [10, 'scheduled', null],
    [0, 'in_progress', null],
    [-10, 'in_progress', null],
    [-60, 'completed', 0],
    [-70, 'completed', -10],
  ])('that starts in %d minutes for an hour is %s when it is announced', async (startsIn, status, endedIn) => {
    const at = (inMinutes: number) => iso(backend.clock.now() + inMinutes * 60_000)
    const post = (await make({ type: 'maintenance', starts_at: at(startsIn), ends_at: at(startsIn + 60) })).body
    expect(post).toMatchObject({ status, resolved_at: endedIn === null ? null : at(endedIn), updates: [{ status }] })
    expect(await get(post)).toEqual(post)
  })

  it('starts early, ends early and goes on by updates [STATUS-52]', async () => {
    const post = (await make(planned())).body
    minutes(10)
    await update(post, { status: 'in_progress' })
    expect(await get(post)).toMatchObject({ status: 'in_progress', starts_at: iso(backend.clock.now()), ends_at: post.ends_at })
    expect(faults(await update(post, { status: 'scheduled' }))).toEqual([400, ['status']])
    minutes(10)
    await update(post, { status: 'completed' })
    expect(await get(post)).toMatchObject({ status: 'completed', resolved_at: iso(backend.clock.now()) })
    await update(post, { status: 'in_progress' })
    expect(await get(post)).toMatchObject({ status: 'in_progress', resolved_at: null })
    minutes(120)
    expect(faults(await update(post, { status: 'in_progress' }))).toEqual([400, ['status']])
  })
})

describe('a draft', () => {
  const draft = async (query: string) => (await send('GET', `${page}/posts/draft?${query}`)).body

  it('names what is affected by its public name, and since when in the time zone of the page [STATUS-53]', async () => {
    const [shop] = monitors as [string, string, string]
    await setStatus(shop, 'down')
    const target = { type: 'monitor', id: parseId('monitor', shop) as string, name: 'internal-shop-01' } as const
    const incident = await openTestIncident(backend, organization, { target, summary: 'internal-shop-01: ECONNREFUSED 10.0.0.7' })
    const hour = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })
    const proposal = await draft(`incident=${incident}`)
    expect(proposal).toEqual({
      type: 'incident',
      title: 'Shop has problems',
      text: `We are investigating why Shop does not work as usual since ${hour.format(backend.clock.now())} CET.`,
      status: 'investigating',
      impact: 'none',
      monitors: [shop],
      incident_id: incident,
      starts_at: iso(backend.clock.now()),
    })
    expect((await make(proposal)).status).toBe(201)
    expect((await send('GET', `${page}/posts`)).body.total).toBe(1)
  })

  it('is in the language of the page, and about the whole page where nothing on it is affected [STATUS-54]', async () => {
    page = await makePage({ language: 'de' })
    expect(await draft(`monitor=${monitors[0]}`)).toMatchObject({ title: 'Shop hat Probleme' })
    expect(await draft(`incident=${await openTestIncident(backend, organization)}`)).toMatchObject({
      title: 'Wir untersuchen ein Problem',
      monitors: [],
    })
  })

  it('needs an incident or a monitor of the organization [STATUS-55]', async () => {
    const foreign = await openTestIncident(backend, await backend.organization())
    for (const query of ['', `incident=${foreign}`, 'monitor=mon_nothing', `monitor=${monitors[0]}&incident=${foreign}`])
      expect((await send('GET', `${page}/posts/draft?${query}`)).status, query).toBe(400)
  })
})
