import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../../../test/e2e/certificates.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { createRequester } from '../deliveries/request.ts'

const ending = new AbortController()
const send = createRequester(
  ({ port }) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject)
    }),
  ending.signal,
  { limitMs: 1_000 },
)
const request = { headers: { 'content-type': 'text/plain' }, secretHeaders: { authorization: 'Bearer secret' }, body: 'hello' }

describe('a redirect', () => {
  let receiver: Receiver
  let other: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
    other = await startReceiver()
    return () => Promise.all([receiver.close(), other.close()])
  })

  it.each([307, 308])('of status %i to another origin repeats the request without the secret headers', async (status) => {
    receiver.answer((response) => void response.writeHead(status, { location: `${other.url}/hook` }).end())
    other.answer((response, { path }) => void response.writeHead(path === '/hook' ? 308 : 204, { location: '/next' }).end())
    await send({ ...request, url: receiver.url })
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer secret' })
    expect(other.received.map(({ path, body }) => [path, body])).toEqual([
      ['/hook', 'hello'],
      ['/next', 'hello'],
    ])
    for (const { headers } of other.received) {
      expect(headers).toMatchObject({ 'content-type': 'text/plain' })
      expect(headers).not.toHaveProperty('authorization')
    }
  })

  it.each(['a "secret" key', 'plain-key'])('to another origin ends where the body has the secret %j', async (secret) => {
    receiver.answer((response) => void response.writeHead(307, { location: `${other.url}/hook` }).end())
    const sent = { ...request, url: receiver.url, body: JSON.stringify({ key: secret }), secrets: [secret] }
    await expect(send(sent)).rejects.toMatchObject({ code: 'protocol', message: expect.stringContaining('has a secret') })
    const inHeader = { ...request, url: receiver.url, headers: { 'x-key': secret, 'x-open': 'a' }, secrets: [secret] }
    await send(inHeader)
    expect(other.received.map(({ headers }) => [headers['x-key'], headers['x-open']])).toEqual([[undefined, 'a']])
  })

  it('within the origin repeats the request with them', async () => {
    receiver.answer((response, { path }) => void response.writeHead(path === '/' ? 307 : 204, { location: '/next' }).end())
    await send({ ...request, url: receiver.url })
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', 'Bearer secret'])
  })
})

describe('a response', () => {
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())

  it('that does not come is a timeout', async () => {
    receiver.answer(() => undefined)
    await expect(send({ ...request, url: receiver.url })).rejects.toMatchObject({
      code: 'timeout',
      message: 'no response within 1 s',
    })
  })

  it('that never ends is read to its limit', async () => {
    receiver.answer((response) => void response.writeHead(200).write('x'.repeat(100_000)))
    expect((await send({ ...request, url: receiver.url })).text).toHaveLength(16_384)
  })

  it('that is not HTTP is a fault of the protocol', async () => {
    receiver.answer((response) => void response.socket?.end('nonsense\r\n\r\n'))
    await expect(send({ ...request, url: receiver.url })).rejects.toMatchObject({ code: 'protocol' })
  })

  it('that breaks off is a lost connection', async () => {
    receiver.answer((response) => void response.destroy())
    await expect(send({ ...request, url: receiver.url })).rejects.toMatchObject({ code: 'connect' })
  })
})

describe('a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-request-'))
  const authorities = getCACertificates('default')
  let server: Server
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })
  afterAll(() => {
    setDefaultCACertificates(authorities)
    rmSync(folder, { recursive: true })
  })

  const startTls = async (names: string): Promise<number> => {
    const { caFile, certFile, keyFile } = makeAuthority(mkdtempSync(join(folder, 'ca-')), names)
    setDefaultCACertificates([readFileSync(caFile, 'utf8')])
    server = createServer(
      { cert: readFileSync(certFile), key: readFileSync(keyFile) },
      (_request, response) => void response.end('ok'),
    )
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  it('is verified against the address where the URL names one', async () => {
    const port = await startTls('IP:127.0.0.1')
    expect(await send({ ...request, url: `https://127.0.0.1:${port}/` })).toMatchObject({ status: 200, text: 'ok' })
  })

  it('is verified against the name where the URL names one', async () => {
    const port = await startTls('DNS:localhost')
    expect(await send({ ...request, url: `https://localhost:${port}/` })).toMatchObject({ status: 200, text: 'ok' })
    await expect(send({ ...request, url: `https://127.0.0.1:${port}/` })).rejects.toMatchObject({ code: 'tls' })
  })
})
