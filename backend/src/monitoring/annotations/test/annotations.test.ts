import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { deleteOldAnnotations } from '../service.ts'

const DAY_MS = 86_400_000

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.member(organization, 'member')
})
afterAll(() => backend.close())

const at = (offsetMs: number): string => new Date(backend.clock.now() + offsetMs).toISOString()
const create = (body: object, by = as) => backend.call('POST', '/v1/annotations', { as: by, body })
const textsOf = async (query: string, by = as): Promise<string[]> => {
  const { status, body } = await backend.call('GET', `/v1/annotations?${query}`, { as: by })
  expect(status).toBe(200)
  expect(body.annotations).toHaveLength(Math.min(body.total, body.limit))
  return body.annotations.map(({ text }: { text: string }) => text)
}

describe('/v1/annotations', () => {
  it('creates one with all fields or with its text alone, and audits it', async () => {
    const { id: server } = await backend.server(organization)
    const body = {
      at: at(-1_000),
      text: 'Deployed',
      tags: ['shop'],
      server_id: server,
      monitor_id: null,
      url: 'https://ci.example.com/1',
    }
    const whole = await create(body)
    expect([whole.status, whole.body]).toEqual([201, { ...body, id: expect.stringMatching(/^ann_/), created_at: at(0) }])
    const least = await create({ text: 'Restarted' })
    expect(least.body).toMatchObject({ at: at(0), text: 'Restarted', tags: [], server_id: null, monitor_id: null, url: null })
    const owner = await backend.member(organization, 'owner')
    const log = await backend.call('GET', '/v1/audit-events?action=annotation.created', { as: owner })
    expect(log.body.audit_events[1]).toMatchObject({ target: { id: whole.body.id }, details: { tags: ['shop'] } })
  })

  it('lists by the time at which it happened, in a range and with all tags, of one organization', async () => {
    const own = await backend.organization()
    const by = await backend.apiKey(own, 'read', 'write')
    await create({ text: 'b', at: at(-2_000), tags: ['x', 'y'] }, by)
    await create({ text: 'a', at: at(-3_000), tags: ['x'] }, by)
    await create({ text: 'c', at: at(-1_000) }, by)
    expect(await textsOf('', by)).toEqual(['c', 'b', 'a'])
    expect(await textsOf('limit=1&page=2', by)).toEqual(['b'])
    expect(await textsOf(`from=${at(-3_000)}&to=${at(-1_000)}`, by)).toEqual(['b', 'a'])
    expect(await textsOf('tag=x&tag=y', by)).toEqual(['b'])
    expect(await textsOf('tag=a')).toEqual([])
  })

  it.each([
    ['an instant more than 400 days ago', () => ({ at: at(-400 * DAY_MS - 1) }), 'at'],
    ['an instant more than a day ahead', () => ({ at: at(DAY_MS + 1) }), 'at'],
    ['no instant', () => ({ at: 'yesterday' }), 'at'],
    ['no text', () => ({ text: ' ' }), 'text'],
    ['a long text', () => ({ text: 'x'.repeat(1_001) }), 'text'],
    ['a link that a browser would run', () => ({ url: 'javascript:alert(1)' }), 'url'],
    ['an unknown server', () => ({ server_id: 'srv_01h455vb4pex5vsknk084sn02q' }), 'server_id'],
    ['a malformed monitor', () => ({ monitor_id: 'x' }), 'monitor_id'],
    [
      'a server of another organization',
      async () => ({ server_id: (await backend.server(await backend.organization())).id }),
      'server_id',
    ],
  ])('refuses %s', async (_, body, path) => {
    const { status, body: answer } = await create({ text: 'Deployed', ...(await body()) })
    expect([status, answer.error.details[0].path]).toEqual([400, path])
  })

  it('refuses a range that ends before it begins', async () => {
    const { status } = await backend.call('GET', `/v1/annotations?from=${at(0)}&to=${at(-1)}`, { as })
    expect(status).toBe(400)
  })

  it('refuses more than 20,000 of an organization', async () => {
    const own = await backend.organization()
    const by = await backend.member(own, 'member')
    const rows = `select ${own.number}, gen_random_uuid(), now(), 'x', '{}', now() from generate_series(1, 20000)`
    await backend.pool.pg.query(`insert into annotation (organization, id, at, text, tags, created_at) ${rows}`)
    expect((await create({ text: 'one more' }, by)).status).toBe(409)
  })

  it('deletes what happened more than 400 days ago', async () => {
    const own = await backend.organization()
    const by = await backend.member(own, 'member')
    await create({ text: 'old', at: at(-400 * DAY_MS) }, by)
    await create({ text: 'new', at: at(-400 * DAY_MS + 2) }, by)
    await deleteOldAnnotations(backend.pool.db, backend.clock.now() + 1)
    expect(await textsOf('', by)).toEqual(['new'])
  })
})
