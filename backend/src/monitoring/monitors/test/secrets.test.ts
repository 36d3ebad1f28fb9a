import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scene, startScene } from './scene.ts'

const MASK = '•••'
const HEADERS = { Authorization: 'Bearer hunter22', 'X-Trace': 'hunter23' }

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.backend.close())

const headersOf = async (id: string, as = scene.admin as object) =>
  (await scene.call('GET', `/${id}`, undefined, as)).body.headers

describe('the body', () => {
  const REQUEST = { method: 'POST', body: 'password=hunter27' }
  const bodyOf = async (id: string, as = scene.admin as object) => (await scene.call('GET', `/${id}`, undefined, as)).body.body

  it('is shown to callers who may change the monitor, and masked for all others [MON-36]', async () => {
    const { backend, organization } = scene
    const { id } = await scene.make(REQUEST)
    const { id: plain } = await scene.make()
    for (const as of [await backend.member(organization, 'member'), await backend.apiKey(organization, 'read', 'write')])
      expect(await bodyOf(id, as)).toBe(REQUEST.body)
    for (const as of [scene.viewer, await backend.apiKey(organization, 'read')])
      expect([await bodyOf(id, as), await bodyOf(plain, as)]).toEqual([MASK, null])
  })

  it('stays unchanged when the mask is sent back, and a mask without a stored body is a 400', async () => {
    const { id } = await scene.make(REQUEST)
    expect((await scene.call('PATCH', `/${id}`, { name: 'renamed', body: MASK })).body.body).toBe(REQUEST.body)
    expect((await scene.call('PATCH', `/${id}`, { body: null })).body.body).toBeNull()
    for (const answer of [
      await scene.call('PATCH', `/${id}`, { body: MASK }),
      await scene.call('POST', '', { name: 'x', url: 'https://example.com/', ...REQUEST, body: MASK }),
      await scene.call('POST', '/test', { name: 'x', url: 'https://example.com/', ...REQUEST, body: MASK }),
    ])
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'body'])
  })
})

describe('the values of headers', () => {
  it('are shown to callers who may change the monitor, and masked for all others [MON-36]', async () => {
    const { backend, organization } = scene
    const { id } = await scene.make({ headers: HEADERS })
    const may = [await backend.member(organization, 'owner'), await backend.member(organization, 'member')]
    for (const as of [...may, await backend.apiKey(organization, 'admin'), await backend.apiKey(organization, 'read', 'write')])
      expect(await headersOf(id, as)).toEqual(HEADERS)
    for (const as of [scene.viewer, await backend.apiKey(organization, 'read')])
      expect(await headersOf(id, as)).toEqual({ Authorization: MASK, 'X-Trace': MASK })
  })

  it('stay unchanged when the mask is sent back, with the name in any case', async () => {
    const { id } = await scene.make({ headers: HEADERS })
    const { status, body } = await scene.call('PATCH', `/${id}`, { headers: { authorization: MASK, 'X-New': 'y' } })
    expect([status, body.headers]).toEqual([200, { authorization: 'Bearer hunter22', 'X-New': 'y' }])
    const again = await scene.call('POST', '/bulk', { update: [{ id, headers: { Authorization: MASK, 'X-New': 'z' } }] })
    expect(again.body.results[0].monitor.headers).toEqual({ Authorization: 'Bearer hunter22', 'X-New': 'z' })
  })

  it('stay unchanged when only masks are sent back', async () => {
    const made = await scene.make({ headers: HEADERS })
    const before = await scene.scheduleOf(made.id)
    scene.backend.clock.advance(1_000)
    expect((await scene.call('PATCH', `/${made.id}`, { headers: { Authorization: MASK, 'X-Trace': MASK } })).body).toEqual(made)
    expect(await scene.scheduleOf(made.id)).toEqual(before)
  })

  it('are a 400 when a mask has no stored value', async () => {
    const { id } = await scene.make({ headers: HEADERS })
    for (const answer of [
      await scene.call('PATCH', `/${id}`, { headers: { ...HEADERS, 'X-Other': MASK } }),
      await scene.call('POST', '', { name: 'x', url: 'https://example.com/', headers: { 'X-Other': MASK } }),
    ])
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'headers.X-Other'])
    expect(await headersOf(id)).toEqual(HEADERS)
  })

  it('are deleted by a change that omits them', async () => {
    const { id } = await scene.make({ headers: HEADERS })
    expect((await scene.call('PATCH', `/${id}`, { headers: {} })).body.headers).toEqual({})
  })
})

it('headers and bodies are nowhere in the database in plain text', async () => {
  const { backend } = scene
  const key = { 'idempotency-key': 'encrypted' }
  const body = { name: 'encrypted', url: 'https://example.com/', method: 'POST', body: 'hunter24', headers: HEADERS }
  const answer = await backend.call('POST', '/v1/monitors', { as: scene.admin, headers: key, body })
  const { id } = answer.body
  await scene.call('PATCH', `/${id}`, { body: 'hunter25', headers: { ...HEADERS, 'X-More': 'hunter26' } })
  await scene.call('POST', `/${id}/pause`)
  const { rows } = await backend.pool.pg.query<{ table_name: string }>(
    "select table_name from information_schema.tables where table_schema = 'public'",
  )
  expect(rows.length).toBeGreaterThan(20)
  for (const { table_name: table } of rows) {
    const { rows: kept } = await backend.pool.pg.query<{ text: string }>(`select "${table}"::text as text from "${table}"`)
    for (const secret of ['hunter22', 'hunter23', 'hunter24', 'hunter25', 'hunter26']) {
      const hex = Buffer.from(secret).toString('hex')
      expect(
        kept.some(({ text }) => text.includes(secret) || text.includes(hex)),
        table,
      ).toBe(false)
    }
  }
  expect((await scene.call('GET', `/${id}`)).body).toMatchObject({ body: 'hunter25', headers: { 'X-More': 'hunter26' } })
})
