import { createClient, VedetteNetworkError } from '../src/index.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Planned, refusal, type Stub, startStub } from './stub.ts'

const AT_ONCE = { 'Retry-After': '0' }
const away = refusal(503, 'unavailable', AT_ONCE)

let stub: Stub
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  stub = await startStub()
  client = createClient({ baseUrl: stub.url })
})
beforeEach(() => stub.requests.splice(0))
afterAll(() => stub.close())

const key = (idempotencyKey: string) => ({ idempotencyKey })
const scopes: ['read'] = ['read']

describe('retries', () => {
  it.each<[string, Planned]>([
    ['503', away],
    ['429', refusal(429, 'rate_limited', AT_ONCE)],
    ['a 502 of a proxy', { status: 502, headers: AT_ONCE, text: '<h1>Bad Gateway</h1>' }],
    ['a conflict that passes', refusal(409, 'conflict', AT_ONCE)],
    ['a Retry-After date in the past', { status: 503, headers: { 'Retry-After': 'Fri, 20 Nov 2020 18:00:00 GMT' }, text: '' }],
    ['a connection that broke', 'hang up'],
  ])('succeed on the third attempt after two times %s', async (_name, planned) => {
    stub.plan(planned, planned, { json: { required: true } })
    expect(await client.setup.read({ retries: 2 })).toEqual({ required: true })
    expect(stub.requests).toHaveLength(3)
  })

  it.each<[string, Planned, number]>([
    ['a refusal', refusal(404, 'not_found'), 404],
    ['a fault of the backend', refusal(500, 'internal_error'), 500],
    ["another service's page", { text: '<h1>Hello</h1>' }, 200],
  ])('are not made after %s', async (_name, planned, status) => {
    stub.plan(planned)
    await expect(client.setup.read({ retries: 2 })).rejects.toMatchObject({ status })
    expect(stub.requests).toHaveLength(1)
  })

  it('stop after the given number, which is 0 by default, and throw the last error', async () => {
    stub.plan(away)
    await expect(client.setup.read()).rejects.toMatchObject({ code: 'unavailable' })
    stub.plan(away, refusal(429, 'rate_limited', AT_ONCE))
    await expect(client.setup.read({ retries: 1 })).rejects.toMatchObject({ code: 'rate_limited' })
    const patient = createClient({ baseUrl: stub.url, retries: 1 })
    stub.plan(away, { json: {} })
    await patient.setup.read()
    expect(stub.requests).toHaveLength(5)
  })

  it('of a creating call need an idempotency key, which stays the same', async () => {
    stub.plan(away)
    await expect(client.apiKeys.create({ name: 'ci', scopes }, { retries: 2 })).rejects.toMatchObject({ status: 503 })
    expect(stub.requests.splice(0)).toHaveLength(1)
    stub.plan(away, 'hang up', { status: 201, json: { key: 'vdt_key_x' } })
    await client.apiKeys.create({ name: 'ci', scopes }, { retries: 2, ...key('one-key') })
    expect(stub.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['one-key', 'one-key', 'one-key'])
  })

  it('are never made for other changes, whatever the options', async () => {
    stub.plan(away)
    await expect(client.servers.remove('srv_1', { retries: 2 })).rejects.toMatchObject({ status: 503 })
    expect(stub.requests).toHaveLength(1)
  })

  it('end when the signal aborts, also during the wait between attempts', async () => {
    stub.plan(refusal(429, 'rate_limited', { 'Retry-After': '3600' }))
    const ending = new AbortController()
    const call = client.setup.read({ retries: 2, signal: ending.signal })
    await expect.poll(() => stub.requests.length).toBe(1)
    ending.abort(new Error('the page was left'))
    await expect(call).rejects.toThrow('the page was left')
  })

  it('without Retry-After use exponential backoff with jitter', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const chance = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const calledAt: number[] = []
    try {
      const plain = createClient({
        baseUrl: 'http://127.0.0.1',
        fetch: () => {
          calledAt.push(Date.now())
          return Promise.reject(new TypeError('no route'))
        },
        timeoutMs: Infinity,
      })
      const failure = plain.setup.read({ retries: 6 }).catch((error: unknown) => error)
      await vi.runAllTimersAsync()
      expect(await failure).toBeInstanceOf(VedetteNetworkError)
      const waits = calledAt.slice(1).map((at, index) => at - (calledAt[index] ?? 0))
      expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
    } finally {
      chance.mockRestore()
      vi.useRealTimers()
    }
  })
})
