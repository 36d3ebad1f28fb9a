import { afterAll, beforeAll, expect, test } from 'vitest'
import { StubBackend } from '../../test/stub-backend.ts'
import { createTransport } from './transport.ts'

const backend = new StubBackend()
const transport = createTransport()
let url = ''
beforeAll(async () => {
  url = await backend.listen()
})
afterAll(async () => {
  transport.close()
  await backend.close()
})

test('a request sends the body as JSON and returns status, headers and text', async () => {
  backend.answer = () => ({ status: 418, body: 'short', headers: { 'retry-after': '3' } })
  const answer = await transport.send({ method: 'POST', url: `${url}/x`, headers: { 'x-api-key': 'k' }, body: Buffer.from('{}') })
  expect(answer).toMatchObject({ status: 418, body: 'short', headers: { 'retry-after': '3' } })
  const [request] = backend.requests
  expect(request?.headers).toMatchObject({ 'x-api-key': 'k', 'content-type': 'application/json', connection: 'keep-alive' })
  expect(request?.text).toBe('{}')
})

test('a name of the hosts file is resolved without the thread pool', async () => {
  backend.answer = () => ({ status: 200, body: 'here' })
  expect(await transport.send({ method: 'GET', url: url.replace('127.0.0.1', 'localhost') })).toMatchObject({ status: 200 })
})

test('a timeout is returned as a value', async () => {
  backend.answer = () => 'hang'
  expect(await transport.send({ method: 'GET', url, timeoutMs: 50 })).toEqual({ status: 0, reason: 'no answer within 0.05 s' })
})

test('an answer that is too long is rejected', async () => {
  backend.answer = () => ({ status: 202, body: 'x'.repeat(1_100_000) })
  expect(await transport.send({ method: 'GET', url })).toMatchObject({ status: 0, isTooLong: true })
})

test('a refused connection is returned as a value', async () => {
  expect(await transport.send({ method: 'GET', url: 'http://127.0.0.1:1' })).toMatchObject({
    status: 0,
    reason: expect.stringContaining('ECONNREFUSED'),
  })
})
