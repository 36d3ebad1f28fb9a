import { createClient, VedetteAnswerError, VedetteError, VedetteNetworkError } from '../src/index.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Planned, refusal, type Stub, startStub } from './stub.ts'

let stub: Stub
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  stub = await startStub()
  client = createClient({ baseUrl: stub.url, token: 'a.b.c' })
})
beforeEach(() => stub.requests.splice(0))
afterAll(() => stub.close())

const fault = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a refusal', () => {
  it('throws a VedetteError with all fields of the error envelope', async () => {
    const details = [{ path: 'name', message: 'is too long' }]
    stub.plan(refusal(400, 'validation_error', {}, details), refusal(429, 'rate_limited', { 'Retry-After': '17' }))
    const error = await fault(client.organizations.create({ name: '' }))
    expect(error).toBeInstanceOf(VedetteError)
    expect(error).toMatchObject({
      name: 'VedetteError',
      message: 'That is validation_error.',
      status: 400,
      code: 'validation_error',
      details,
      requestId: 'a-request',
      retryAfterSeconds: undefined,
    })
    expect(await fault(client.auth.me())).toMatchObject({ code: 'rate_limited', details: [], retryAfterSeconds: 17 })
  })

  it('calls onUnauthorized once for rejected credentials, and not for a secret in the body or on a public route', async () => {
    const onUnauthorized = vi.fn<(error: VedetteError) => void>()
    const observed = createClient({ baseUrl: stub.url, token: 'a.b.c', onUnauthorized })
    const body = { current_password: 'wrong', new_password: 'a long and rare passphrase' }
    stub.plan(...Array.from({ length: 3 }, () => refusal(401, 'unauthorized')), refusal(403, 'forbidden'))
    await fault(observed.auth.login({ email: 'ada@example.com', password: 'wrong' }))
    await fault(observed.auth.changePassword(body))
    expect(onUnauthorized).not.toHaveBeenCalled()
    const error = await fault(observed.auth.me())
    expect(onUnauthorized.mock.calls).toEqual([[error]])
    await fault(observed.auth.me())
    expect(onUnauthorized).toHaveBeenCalledTimes(1)
  })
})

describe('a response that is not from Vedette', () => {
  it.each<[string, Extract<Planned, object>, RegExp]>([
    ["a proxy's page", { status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad Gateway</h1>' }, /502 text\/html/],
    ['a page that says all is well', { headers: { 'Content-Type': 'text/html' }, text: '<h1>Sign in</h1>' }, /200 text\/html/],
    ['nothing', { status: 200, text: '' }, /200 without a content type/],
    ['other JSON', { status: 404, json: { message: 'no Route matched' } }, /404 application\/json/],
    ['a bare value', { json: 'ok' }, /200 application\/json/],
    ['a redirect', { status: 302, headers: { Location: 'https://other.example/' } }, /redirect to https:\/\/other\.example\//],
  ])('throws a VedetteAnswerError that describes %s', async (_name, planned, message) => {
    stub.plan(planned)
    const error = (await fault(client.servers.list())) as VedetteAnswerError
    expect(error).toBeInstanceOf(VedetteAnswerError)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`GET ${stub.url}/v1/servers`)
    expect(error.status).toBe(planned.status ?? 200)
    // The client follows no redirect, because the credentials belong to this host.
    expect(stub.requests).toHaveLength(1)
  })

  it('puts the first 200 characters into the error', async () => {
    stub.plan({ status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad Gateway</h1>'.padEnd(5_000, '.') })
    const error = (await fault(client.auth.me())) as VedetteAnswerError
    expect([error.contentType, error.excerpt.length]).toEqual(['text/html', 200])
    expect(error.excerpt).toMatch(/^<h1>Bad Gateway<\/h1>\./)
  })

  it('throws a VedetteAnswerError on a route without content, too', async () => {
    stub.plan({ headers: { 'Content-Type': 'text/html' }, text: '<h1>Sign in</h1>' })
    await expect(client.servers.remove('srv_1')).rejects.toBeInstanceOf(VedetteAnswerError)
  })
})

describe('a missing response', () => {
  it('throws a VedetteNetworkError with the cause of the runtime', async () => {
    const gone = await startStub()
    await gone.close()
    const error = (await fault(createClient({ baseUrl: gone.url }).setup.read())) as VedetteNetworkError
    expect(error).toBeInstanceOf(VedetteNetworkError)
    expect(error).not.toBeInstanceOf(VedetteError)
    expect(error.message).toMatch(/^No answer from GET http:.*ECONNREFUSED/)
    expect(error).toMatchObject({ timedOut: false, cause: expect.any(TypeError) })
  })

  it.each(['half', 'hang up'] as const)('throws a VedetteNetworkError for an interrupted response (%s)', async (planned) => {
    stub.plan(planned)
    expect(await fault(client.servers.list())).toMatchObject({ name: 'VedetteNetworkError', timedOut: false })
  })

  it('reports a timeout; the timeout of the call overrides that of the client', async () => {
    // A separate stub: on a busy machine the timeout may fire before the request arrives.
    const silent = await startStub()
    silent.plan('silence', 'silence')
    expect(await fault(createClient({ baseUrl: silent.url }).auth.me({ timeoutMs: 30 }))).toMatchObject({
      name: 'VedetteNetworkError',
      timedOut: true,
      message: `No answer from GET ${silent.url}/v1/auth/me within 30 ms`,
    })
    expect(await fault(createClient({ baseUrl: silent.url, timeoutMs: 30 }).auth.me())).toMatchObject({ timedOut: true })
    await silent.close()
    stub.plan({ json: {} })
    expect(await createClient({ baseUrl: stub.url, timeoutMs: 1 }).auth.me({ timeoutMs: Infinity })).toEqual({})
  })

  it('throws the reason of the signal when the call is aborted', async () => {
    stub.plan('silence')
    const ending = new AbortController()
    const call = fault(client.auth.me({ signal: ending.signal }))
    await expect.poll(() => stub.requests.length).toBe(1)
    const reason = new Error('the page was left')
    ending.abort(reason)
    expect(await call).toBe(reason)
    expect(await fault(client.auth.me({ signal: ending.signal, retries: 3 }))).toBe(reason)
    expect(stub.requests).toHaveLength(1)
  })
})
