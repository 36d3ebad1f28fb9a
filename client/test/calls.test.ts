import { createClient, etagOf } from '../src/index.ts'
import type { ServerDetails, ServerItem, TotpSetup, TotpState } from '@vedette/shared'
import { afterAll, beforeEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startStub()
})
beforeEach(() => stub.requests.splice(0))
afterAll(() => stub.close())

const last = () => stub.requests.at(-1)

describe('a call', () => {
  it('maps its arguments to the path, then the body or query, then the options', async () => {
    const client = createClient({ baseUrl: `${stub.url}/under/a/path/`, apiKey: 'vdt_key_x' })
    await client.servers.list({ tag: ['a b', 'ü&'], q: '50%', page: 2 })
    expect(last()).toMatchObject({ method: 'GET', url: '/under/a/path/v1/servers?tag=a+b&tag=%C3%BC%26&q=50%25&page=2' })
    expect(last()?.headers['content-type']).toBeUndefined()
    await client.members.update('org_1', 'usr/2?', { role: 'admin' })
    expect(last()).toMatchObject({
      method: 'PATCH',
      url: '/under/a/path/v1/organizations/org_1/members/usr%2F2%3F',
      headers: { 'content-type': 'application/json', 'x-api-key': 'vdt_key_x' },
      body: { role: 'admin' },
    })
    await client.servers.list(undefined, { organizationId: 'org_2' })
    expect(last()).toMatchObject({ url: '/under/a/path/v1/servers', headers: { 'x-organization-id': 'org_2' } })
    await client.servers.remove('srv_1')
    expect(last()).toMatchObject({ method: 'DELETE', body: undefined })
  })

  it.each(['', '.', '..'])('throws a TypeError and sends nothing for the id %j, which would change the path', async (id) => {
    await expect(createClient({ baseUrl: stub.url }).servers.remove(id)).rejects.toThrow(TypeError)
    expect(stub.requests).toEqual([])
  })

  it('has the parameter and response types of @vedette/shared', async () => {
    const { servers, totp, agent, apiKeys } = createClient({ baseUrl: stub.url })
    expectTypeOf(servers.read).returns.resolves.toEqualTypeOf<ServerDetails>()
    expectTypeOf(servers.read).parameter(0).toEqualTypeOf<string>()
    expectTypeOf(servers.remove).returns.resolves.toEqualTypeOf<undefined>()
    expectTypeOf(totp.setUp).returns.resolves.toEqualTypeOf<TotpSetup | TotpState>()
    expectTypeOf(servers.all).returns.toEqualTypeOf<AsyncGenerator<ServerItem, undefined>>()
    expectTypeOf<NonNullable<NonNullable<ServerItem['metrics']>['cpu']>['percent']>().toEqualTypeOf<number | null>()
    // @ts-expect-error -- an unknown period
    await servers.metrics('srv_1', { period: '2h' })
    // @ts-expect-error -- an unknown query
    await servers.list({ stat: 'online' })
    // @ts-expect-error -- a body without a required field
    await apiKeys.create({ name: 'x' })
    // @ts-expect-error -- this route takes no key
    await agent.updateFacts({}, { idempotencyKey: 'x' })
    // @ts-expect-error -- two credentials
    createClient({ baseUrl: stub.url, token: 'a', apiKey: 'b' })
  })
})

describe('versions', () => {
  it('the ETag of an answer is sent as If-Match by a change of it, and by no other call', async () => {
    stub.plan({ json: { id: 'mon_1' }, headers: { ETag: 'W/"a.b"' } }, { json: { id: 'mon_1' } }, { status: 204 })
    const { monitors } = createClient({ baseUrl: stub.url })
    const answer = await monitors.read('mon_1')
    expect(etagOf(answer)).toBe('W/"a.b"')
    expect(etagOf({ ...answer })).toBeUndefined()
    await monitors.update('mon_1', { name: 'x' }, { ifMatch: etagOf(answer) })
    await monitors.remove('mon_1', { ifMatch: 'W/"c.d"' })
    expect(stub.requests.slice(-3).map(({ headers }) => headers['if-match'])).toEqual([undefined, 'W/"a.b"', 'W/"c.d"'])
    // @ts-expect-error -- a read has no version to match
    await monitors.read('mon_1', { ifMatch: 'x' }).catch(() => undefined)
  })
})

describe('credentials', () => {
  it.each([
    ['a token', { token: 'a.b.c' }, { authorization: 'Bearer a.b.c' }],
    ['an API key', { apiKey: 'vdt_key_x' }, { 'x-api-key': 'vdt_key_x' }],
    ['credentials from a function', { credentials: async () => ({ token: 'a.b.c' }) }, { authorization: 'Bearer a.b.c' }],
    ['a function that returns no credentials', { credentials: () => undefined }, {}],
    ['no credentials', {}, {}],
  ])('a client with %s sends only the headers of these credentials', async (_name, given, headers) => {
    const client = createClient({ baseUrl: stub.url, organizationId: 'org_1', ...given })
    await client.servers.remove('srv_1')
    const { authorization, 'x-api-key': apiKey, ...sent } = last()?.headers ?? {}
    expect({ ...(authorization && { authorization }), ...(apiKey && { 'x-api-key': apiKey }) }).toEqual(headers)
    expect(sent['x-organization-id']).toBe('org_1')
  })

  it('are read before each attempt and never sent to a public route', async () => {
    const tokens = ['first', 'second']
    const client = createClient({
      baseUrl: stub.url,
      organizationId: 'org_1',
      credentials: () => ({ token: tokens.shift() ?? '' }),
    })
    stub.plan({ status: 503, headers: { 'Retry-After': '0' }, text: 'away' }, { json: {} })
    await client.auth.me({ retries: 1 })
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
    stub.plan({ json: { required: false } })
    await client.setup.read()
    expect(last()?.headers).not.toHaveProperty('authorization')
    expect(last()?.headers).not.toHaveProperty('x-organization-id')
  })
})

describe('an answer', () => {
  it('resolves to the body, or to undefined on a route without content', async () => {
    const client = createClient({ baseUrl: stub.url })
    stub.plan({ json: { required: true } }, { status: 204 }, { status: 202, json: {} })
    expect(await client.setup.read()).toEqual({ required: true })
    expect(await client.servers.remove('srv_1')).toBeUndefined()
    expect(await client.auth.requestPasswordReset({ email: 'ada@example.com' })).toBeUndefined()
  })

  it('updates the remaining rate limit of the client', async () => {
    const client = createClient({ baseUrl: stub.url })
    expect(client.rateLimit).toBeUndefined()
    const headers = { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1795197600' }
    stub.plan({ headers, json: { required: true } }, { status: 204 })
    await client.setup.read()
    const state = { limit: 100, remaining: 0, resetAt: new Date('2026-11-20T18:00:00.000Z') }
    expect(client.rateLimit).toEqual(state)
    await client.servers.remove('srv_1')
    expect(client.rateLimit).toEqual(state)
  })
})

describe('all', () => {
  const page = (ids: string[], total: number) => ({ json: { servers: ids.map((id) => ({ id })), total, page: 1, limit: 2 } })

  async function idsOf(items: AsyncIterable<{ id: string }>): Promise<string[]> {
    const ids: string[] = []
    for await (const { id } of items) ids.push(id)
    return ids
  }

  it('reads all pages, yields each item once, and requests no superfluous page', async () => {
    const client = createClient({ baseUrl: stub.url })
    // A server is registered between the first two pages, so "b" moves to the second page.
    stub.plan(page(['a', 'b'], 4), page(['b', 'c'], 5), page(['d'], 5))
    expect(await idsOf(client.servers.all({ status: 'online', limit: 2 }))).toEqual(['a', 'b', 'c', 'd'])
    const query = (number: number) => `/v1/servers?limit=2&status=online&page=${number}`
    expect(stub.requests.map(({ url }) => url)).toEqual([1, 2, 3].map(query))
  })

  it('requests pages of 100 items, stops when iteration stops, and fills in the path parameters', async () => {
    const client = createClient({ baseUrl: stub.url })
    stub.plan(page(['a', 'b'], 4))
    for await (const { id } of client.members.all('org_1')) if (id === 'b') break
    expect(stub.requests.map(({ url }) => url)).toEqual(['/v1/organizations/org_1/members?limit=100&page=1'])
    stub.plan(page([], 0))
    expect(await idsOf(client.servers.all())).toEqual([])
  })
})
