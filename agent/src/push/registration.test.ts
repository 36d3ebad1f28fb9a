import nock from 'nock'
import { afterEach, expect, test } from 'vitest'
import { requestRegistration } from './registration.ts'
import { createTransport } from './transport.ts'

const URL = 'https://v.example.com'
const FACTS = { hostname: 'h', os: 'o', kernel: 'k', arch: 'x64', agent_version: '0.1.0', machine_id: 'm' }
const register = () => requestRegistration(createTransport(), URL, 'vdt_key_secret', FACTS)
afterEach(() => nock.cleanAll())

test.each([200, 201])('%i gives id and token', async (status) => {
  const scope = nock(URL, { reqheaders: { 'x-api-key': 'vdt_key_secret' } })
  scope.post('/v1/agent/register', FACTS).reply(status, { server_id: 'srv_1', token: 'vdt_srv_1', sample_interval_seconds: 10 })
  expect(await register()).toEqual({ server_id: 'srv_1', token: 'vdt_srv_1' })
})

test.each([
  [401, 'Check the API key'],
  [403, 'scope "agent"'],
  [404, 'without /v1'],
  [503, '503 x: words'],
  [200, 'not from a Vedette backend'],
])('%i says why and what mends it, and never the key', async (status, words) => {
  nock(URL)
    .post('/v1/agent/register')
    .reply(status, { error: { code: 'x', message: 'words' } })
  const error: unknown = await register().catch((reason: unknown) => reason)
  expect(String(error)).toContain(words)
  expect(String(error)).not.toContain('vdt_key_secret')
})

test('the error names a backend that cannot be reached', async () => {
  nock(URL).post('/v1/agent/register').replyWithError('no route')
  await expect(register()).rejects.toThrow('cannot reach https://v.example.com: no route')
})
