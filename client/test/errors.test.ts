import { createClient, VedetteAnswerError, VedetteError, VedetteNetworkError } from '../src/index.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Planned, refusal, type Stub, startStub } from './stub.ts'

let stub: Stub
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  stub = await startStub()
  client = createClient({ baseUrl: stub.url, token: 'a.b.c' })
})
beforeEach(() => stub.asked.splice(0))
afterAll(() => stub.close())

const fault = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a refusal', () => {
  it('is an error with all that the envelope says', async () => {
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

  it('of the credentials is told to onUnauthorized, once; of a secret in the body, or on an open route, it is not', async () => {
    const onUnauthorized = vi.fn<(error: VedetteError) => void>()
    const told = createClient({ baseUrl: stub.url, token: 'a.b.c', onUnauthorized })
    const body = { current_password: 'wrong', new_password: 'a long and rare passphrase' }
    stub.plan(...Array.from({ length: 3 }, () => refusal(401, 'unauthorized')), refusal(403, 'forbidden'))
    await fault(told.auth.login({ email: 'ada@example.com', password: 'wrong' }))
    await fault(told.auth.changePassword(body))
    expect(onUnauthorized).not.toHaveBeenCalled()
    const error = await fault(told.auth.me())
    expect(onUnauthorized.mock.calls).toEqual([[error]])
    await fault(told.auth.me())
    expect(onUnauthorized).toHaveBeenCalledTimes(1)
  })
})

describe('what is not from Vedette', () => {
  it.each<[string, Extract<Planned, object>, RegExp]>([
    ["a proxy's page", { status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad Gateway</h1>' }, /502 text\/html/],
    ['a page that says all is well', { headers: { 'Content-Type': 'text/html' }, text: '<h1>Sign in</h1>' }, /200 text\/html/],
    ['nothing', { status: 200, text: '' }, /200 without a content type/],
    ['other JSON', { status: 404, json: { message: 'no Route matched' } }, /404 application\/json/],
    ['a bare value', { json: 'ok' }, /200 application\/json/],
    ['a redirect', { status: 302, headers: { Location: 'https://other.example/' } }, /redirect to https:\/\/other\.example\//],
  ])('%s is an error of its own, which names it', async (_name, planned, message) => {
    stub.plan(planned)
    const error = (await fault(client.servers.list())) as VedetteAnswerError
    expect(error).toBeInstanceOf(VedetteAnswerError)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`GET ${stub.url}/v1/servers`)
    expect(error.status).toBe(planned.status ?? 200)
    // A redirect is not followed: the credentials are for this host.
    expect(stub.asked).toHaveLength(1)
  })

  it('is shown by how it begins', async () => {
    stub.plan({ status: 502, headers: { 'Content-Type': 'text/html' }, text: '<h1>Bad Gateway</h1>'.padEnd(5_000, '.') })
    const error = (await fault(client.auth.me())) as VedetteAnswerError
    expect([error.contentType, error.excerpt.length]).toEqual(['text/html', 200])
    expect(error.excerpt).toMatch(/^<h1>Bad Gateway<\/h1>\./)
  })

  it('is an error where nothing is to be read, too', async () => {
    stub.plan({ headers: { 'Content-Type': 'text/html' }, text: '<h1>Sign in</h1>' })
    await expect(client.servers.remove('srv_1')).rejects.toBeInstanceOf(VedetteAnswerError)
  })
})

describe('no answer', () => {
  it('is an error of its own, with what the runtime says', async () => {
    const gone = await startStub()
    await gone.close()
    const error = (await fault(createClient({ baseUrl: gone.url }).setup.read())) as VedetteNetworkError
    expect(error).toBeInstanceOf(VedetteNetworkError)
    expect(error).not.toBeInstanceOf(VedetteError)
    expect(error.message).toMatch(/^No answer from GET http:.*ECONNREFUSED/)
    expect(error).toMatchObject({ timedOut: false, cause: expect.any(TypeError) })
  })

  it.each(['half', 'hang up'] as const)('or one that breaks off (%s) is the same', async (planned) => {
    stub.plan(planned)
    expect(await fault(client.servers.list())).toMatchObject({ name: 'VedetteNetworkError', timedOut: false })
  })

  it('within the time limit says so; the limit is of the call, else of the client', async () => {
    // A stub of its own: on a busy machine the time may be over before a request has reached it.
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

  it('because of the signal throws its reason', async () => {
    stub.plan('silence')
    const ending = new AbortController()
    const call = fault(client.auth.me({ signal: ending.signal }))
    await expect.poll(() => stub.asked.length).toBe(1)
    const reason = new Error('the page was left')
    ending.abort(reason)
    expect(await call).toBe(reason)
    expect(await fault(client.auth.me({ signal: ending.signal, retries: 3 }))).toBe(reason)
    expect(stub.asked).toHaveLength(1)
  })
})
