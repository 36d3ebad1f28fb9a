import { afterAll, describe, expect, it } from 'vitest'
import { startFixture } from './access/fixture.ts'
import type { Answer } from './harness.ts'
import { pathWith } from './path-resources.ts'

const world = await startFixture()
const { backend, routes, things, own, leastBody } = world
afterAll(() => world.close())

const takes = (header: string) => (route: (typeof routes)[number]) =>
  world.publishedAs(route)?.parameters.some(({ name }) => name === header) === true
const readable = routes.filter(takes('If-None-Match'))
const changeable = routes.filter((route) => route.method === 'PATCH' && takes('If-Match')(route))
const deletable = routes.filter((route) => route.method === 'DELETE' && takes('If-Match')(route))
/** The collection of a resource: things with an id of their own below /v1. */
const isResource = (url: string) => /^\/v1\/[a-z-]+\/:id(\/posts\/:postId)?$/.test(url)
/** The text that a change of each has. */
const TEXTS: Readonly<Record<string, string>> = { '/v1/servers/:id': 'display_name', '/v1/api-keys/:id': 'dedup_label' }
const nameOf = (url: string) => TEXTS[url] ?? (url.endsWith('/:postId') ? 'title' : 'name')

it('every resource with a GET of its own has a tag, and its PATCH and DELETE compare it', () => {
  const readUrls = readable.map(({ url }) => url)
  expect(readUrls).toEqual(routes.filter(({ method, url }) => method === 'GET' && isResource(url)).map(({ url }) => url))
  for (const [method, tagged] of [
    ['PATCH', changeable],
    ['DELETE', deletable],
  ] as const) {
    const all = routes.filter((route) => route.method === method && readUrls.includes(route.url))
    expect(tagged.map(({ url }) => url)).toEqual(all.map(({ url }) => url))
    expect(tagged).toHaveLength(16)
  }
})

/** A new thing of this path, with calls as its owner. */
async function thing(url: string) {
  const path = pathWith(url, await things.chain(url, own))
  const { authorization } = await things.owner(own)
  const call = (method: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    backend.call(method, path, { as: { authorization }, headers, ...(body !== undefined && { body }) })
  const first = await call('GET')
  return { call, first, etag: String(first.headers['etag']) }
}

const details = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details]
const refusal = ({ status, body, headers }: Answer) => [status, body?.error?.code, headers['etag']]

describe.each(readable.map(({ url }) => url))('GET %s', (url) => {
  it('has a weak ETag, and is a 304 without a body for who has that version', async () => {
    const { call, etag } = await thing(url)
    expect(etag).toMatch(/^W\/"[\w-]{16}\.[\w-]{16}"$/)
    for (const known of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
      const again = await call('GET', undefined, { 'if-none-match': known })
      expect([again.status, again.body, again.headers['etag']], known).toEqual([304, undefined, etag])
    }
    expect((await call('GET', undefined, { 'if-none-match': 'W/"other"' })).status).toBe(200)
  })
})

describe.each(changeable.map(({ url }) => url))('PATCH %s', (url) => {
  const name = nameOf(url)

  it('takes the object of GET with a changed field, and refuses a changed read-only field by name', async () => {
    const { call, first } = await thing(url)
    const changed = await call('PATCH', { ...first.body, [name]: 'Changed' })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect(changed.body[name]).toBe('Changed')
    for (const [field, value] of [
      ['id', `${first.body.id}x`],
      [first.body.created_at === undefined ? 'registered_at' : 'created_at', '2020-01-01T00:00:00.000Z'],
    ] as const)
      expect(details(await call('PATCH', { [name]: 'Lost', [field]: value }))).toEqual([
        400,
        'validation_error',
        [{ path: field, message: 'is read-only' }],
      ])
    expect((await call('GET')).body[name]).toBe('Changed')
  })

  it('with the tag of an older version is a 412 with the present one, and changes nothing', async () => {
    const { call, etag } = await thing(url)
    const changed = await call('PATCH', { [name]: 'First' }, { 'if-match': etag })
    expect([changed.status, changed.headers['etag']]).toEqual([200, (await call('GET')).headers['etag']])
    const late = await call('PATCH', { [name]: 'Second' }, { 'if-match': etag })
    expect(refusal(late)).toEqual([412, 'precondition_failed', changed.headers['etag']])
    expect((await call('GET')).body[name]).toBe('First')
    expect((await call('PATCH', { [name]: 'Third' }, { 'if-match': String(changed.headers['etag']) })).status).toBe(200)
    expect((await call('PATCH', { [name]: 'Fourth' }, { 'if-match': '*' })).status).toBe(200)
  })

  it('lets one of two editors of the same version through', async () => {
    const { call, etag } = await thing(url)
    const answers = await Promise.all(['One', 'Other'].map((value) => call('PATCH', { [name]: value }, { 'if-match': etag })))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412])
  })
})

describe.each(deletable.map((route) => [route.url, route] as const))('DELETE %s', (url, route) => {
  it('with the tag of an older version is a 412, with the present one a 204', async () => {
    const organization = await backend.organization()
    const { authorization } = await things.owner(organization)
    const path = pathWith(url, await things.chain(url, organization))
    const body = url === '/v1/organizations/:id' ? { name: organization.name } : leastBody(world.publishedAs(route))
    const call = (headers: Record<string, string>) => backend.call('DELETE', path, { as: { authorization }, body, headers })
    const { headers } = await backend.call('GET', path, { as: { authorization } })
    expect(refusal(await call({ 'if-match': 'W/"other"' }))).toEqual([412, 'precondition_failed', headers['etag']])
    expect((await call({ 'if-match': String(headers['etag']) })).status).toBe(204)
  })
})
