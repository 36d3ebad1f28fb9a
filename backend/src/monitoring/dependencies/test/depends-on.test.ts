import { MAX_DEPENDENCIES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId, newId } from '../../../platform/ids.ts'

let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  organization = await backend.organization()
  as = await backend.member(organization, 'admin')
})
afterAll(async () => {
  await second.close()
  await backend.close()
})

const call = (method: string, path: string, body?: unknown, at = backend) => at.call(method, `/v1${path}`, { as, body })
const make = async (name: string, own: object = {}): Promise<string> => {
  const { status, body } = await call('POST', '/monitors', { name, url: 'https://shop.example.com/', ...own })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
const patch = (id: string, body: object, at = backend) =>
  call('PATCH', `/${id.startsWith('mon_') ? 'monitors' : 'servers'}/${id}`, body, at)
const on = (...ids: string[]) => ids.map((id) => ({ type: id.startsWith('mon_') ? 'monitor' : 'server', id }))
const faults = ({ status, body }: { status: number; body: { error?: { details?: { path: string; message: string }[] } } }) => [
  status,
  ...(body.error?.details ?? []).map(({ path, message }) => `${path}: ${message}`),
]

describe('depends_on', () => {
  it('is stored and read back of a monitor and of a server, and is empty by default', async () => {
    const [router, { id: server }] = [await make('Router'), await backend.server(organization)]
    const dependsOn = [...on(router, server), { type: 'server', tag: 'switch' }, { type: 'monitor', tag: 'dns' }]
    const shop = await make('Shop', { depends_on: dependsOn })
    expect((await call('GET', `/monitors/${shop}`)).body.depends_on).toEqual(dependsOn)
    expect((await call('GET', `/monitors/${router}`)).body.depends_on).toEqual([])
    expect((await patch(shop, { name: 'Shop 2' })).body.depends_on).toEqual(dependsOn)
    expect((await patch(shop, { depends_on: on(router) })).body.depends_on).toEqual(on(router))
    expect((await call('GET', `/servers/${server}`)).body.depends_on).toEqual([])
    expect((await patch(server, { depends_on: on(router) })).body.depends_on).toEqual(on(router))
    expect((await patch(server, { tags: ['web'] })).body.depends_on).toEqual(on(router))
    const bulk = await call('POST', '/monitors/bulk', {
      create: [{ name: 'Blog', url: 'https://blog.example.com/', depends_on: on(server) }],
      update: [{ id: shop, depends_on: [] }],
    })
    expect(bulk.body.results.map((one: { monitor: { depends_on: object[] } }) => one.monitor.depends_on)).toEqual([
      on(server),
      [],
    ])
  })

  it('leaves out what was deleted, until it is restored', async () => {
    const router = await make('Router')
    const shop = await make('Shop', { depends_on: on(router) })
    await call('DELETE', `/monitors/${router}`)
    expect((await call('GET', `/monitors/${shop}`)).body.depends_on).toEqual([])
    await call('POST', `/monitors/${router}/restore`)
    expect((await call('GET', `/monitors/${shop}`)).body.depends_on).toEqual(on(router))
  })

  it(`has at most ${MAX_DEPENDENCIES} entries, each with an id or a tag, none twice`, async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ type: 'server', tag: `tag-${index}` }))
    const shop = await make('Shop', { depends_on: many(MAX_DEPENDENCIES) })
    const paths = async (depends_on: object[]) => {
      const { status, body } = await patch(shop, { depends_on })
      return [status, body.error?.details[0].path]
    }
    expect(await paths(many(MAX_DEPENDENCIES + 1))).toEqual([400, 'depends_on'])
    expect(await paths([...many(1), ...many(1)])).toEqual([400, 'depends_on.1'])
    expect(await paths([{ type: 'server' }])).toEqual([400, 'depends_on.0'])
    expect(await paths([{ type: 'server', id: shop, tag: 'web' }])).toEqual([400, 'depends_on.0'])
    expect(await paths([{ type: 'region', tag: 'web' }])).toEqual([400, 'depends_on.0.type'])
  })

  it('refuses ids that are unknown, of another type or of another organization in the same way', async () => {
    const elsewhere = await backend.organization()
    const foreign = (await backend.server(elsewhere)).id
    const { id: server } = await backend.server(organization, 'another')
    const shop = await make('Shop')
    const unknown = encodeId('server', newId())
    for (const id of [foreign, unknown, 'srv_nothing', shop])
      expect(faults(await patch(shop, { depends_on: [...on(server), { type: 'server', id }] }))).toEqual([
        400,
        'depends_on.1.id: is not a server of this organization',
      ])
    const update = [{ id: shop, depends_on: on(shop.slice(0, -1)) }]
    expect(faults(await call('POST', '/monitors/bulk', { update }))).toEqual([
      400,
      'update.0.depends_on.0.id: is not a monitor of this organization',
    ])
    expect(faults(await patch(server, { depends_on: on(unknown) }))).toEqual([
      400,
      'depends_on.0.id: is not a server of this organization',
    ])
  })
})

describe('a cycle of dependencies', () => {
  const closes = (path: string, names: string) => [400, `${path}: closes a cycle of dependencies: ${names}`]

  it('is refused with its names, over monitors and servers together', async () => {
    const { id: host } = await backend.server(organization, 'host')
    const router = await make('Router', { depends_on: on(host) })
    const shop = await make('Shop', { depends_on: on(router) })
    expect(faults(await patch(shop, { depends_on: on(shop) }))).toEqual(closes('depends_on', 'Shop → Shop'))
    const { hostname } = (await call('GET', `/servers/${host}`)).body
    expect(faults(await patch(host, { depends_on: on(shop) }))).toEqual(
      closes('depends_on', `${hostname} → Shop → Router → ${hostname}`),
    )
    expect((await call('GET', `/servers/${host}`)).body.depends_on).toEqual([])
  })

  it('is refused through a tag, also when the tag is added last', async () => {
    const core = await make('Core', { tags: ['core'] })
    const edge = await make('Edge', { depends_on: [{ type: 'monitor', tag: 'core' }] })
    expect(faults(await patch(core, { depends_on: on(edge) }))).toEqual(closes('depends_on', 'Core → Edge → Core'))
    const leaf = await make('Leaf', { depends_on: on(edge) })
    expect(faults(await patch(leaf, { tags: ['core'] }))).toEqual(closes('tags', 'Leaf → Edge → Leaf'))
    const { id: host } = await backend.server(organization, 'tagged')
    await patch(host, { depends_on: on(edge) })
    await patch(edge, { depends_on: [{ type: 'server', tag: 'core' }] })
    expect(faults(await patch(host, { tags: ['core'] }))[1]).toMatch(/^tags: closes a cycle of dependencies: .* → Edge → /)
  })

  it('is refused with the path of the entry in a bulk request, and nothing of it is stored', async () => {
    const [one, other] = [await make('One'), await make('Other')]
    const update = [
      { id: one, depends_on: on(other) },
      { id: other, depends_on: on(one) },
    ]
    const [status, message] = faults(await call('POST', '/monitors/bulk', { update }))
    expect([status, message]).toEqual(closes('update.0.depends_on', 'One → Other → One'))
    expect((await call('GET', `/monitors/${one}`)).body.depends_on).toEqual([])
  })

  it('is refused when a deleted monitor is restored into it', async () => {
    const blog = await make('Blog', { tags: ['blog'], depends_on: [{ type: 'monitor', tag: 'news' }] })
    await call('DELETE', `/monitors/${blog}`)
    await make('News', { tags: ['news'], depends_on: [{ type: 'monitor', tag: 'blog' }] })
    expect(faults(await call('POST', `/monitors/${blog}/restore`))).toEqual(closes('depends_on', 'Blog → News → Blog'))
    expect(faults(await call('POST', '/monitors/bulk', { restore: [blog] }))).toEqual(closes('restore.0', 'Blog → News → Blog'))
  })

  it('does not come about by two changes at once on two instances', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await make('One'), await make('Other')]
      const answers = await Promise.all([patch(one, { depends_on: on(other) }), patch(other, { depends_on: on(one) }, second)])
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 400])
    }
  })

  it('is not searched for beyond 16 levels: a longer chain is refused', async () => {
    let last = await make('Level 0')
    const levels = async (count: number) => {
      for (let level = 0; level < count; level += 1) last = await make('Level', { depends_on: on(last) })
    }
    await levels(16)
    const { status, body } = await call('POST', '/monitors', {
      name: 'Top',
      url: 'https://top.example.com/',
      depends_on: on(last),
    })
    expect([status, body.error.details[0].path]).toEqual([400, 'depends_on'])
  })
})
