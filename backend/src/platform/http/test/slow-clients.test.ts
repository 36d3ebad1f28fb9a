import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../../../../scripts/test-tools.ts'
import { makeAuthority } from '../../../../test/e2e/certificates.ts'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../logging/log.ts'
import type { App } from '../app.ts'
import { createUnlimited } from '../rate-limit.ts'
import { createServer, TIMEOUTS } from '../server.ts'

const CLIENTS = 50
/** Interval between two bytes: never silent, never done. */
const TRICKLE_MS = 20
// Long enough for a busy machine to serve the others meanwhile.
const SHORT = { headersMs: 1_000, requestMs: 1_500, checkEveryMs: 50 }

describe('clients that are slow on purpose', () => {
  let app: App
  let port: number
  beforeAll(async () => {
    const clock = createFakeClock(0)
    const limiter = createUnlimited(
      { auth: 1, read: 1, write: 1, agent: 1, probe: 1_000, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
      clock,
    )
    app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls: undefined, schemas: [], timeouts: SHORT })
    app.post('/echo', { schema: { body: Type.Object({}) } }, async () => ({}))
    app.get('/', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    port = (app.server.address() as AddressInfo).port
  })
  afterAll(() => app.close())

  it('have ten seconds for their headers and fifteen for all', () => {
    expect(TIMEOUTS).toEqual({ headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000 })
  })

  it('who send nothing are disconnected', async () => {
    const began = performance.now()
    expect(await trickle(port, '', '')).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(performance.now() - began).toBeGreaterThan(SHORT.headersMs * 0.9)
  })

  it.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'x', SHORT.headersMs],
    [
      'a body',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n',
      ' ',
      SHORT.requestMs,
    ],
    [
      'chunks',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
      SHORT.requestMs,
    ],
  ])('with %s get a 408 and are disconnected, while others are served [ERROR-19]', async (_, head, more, afterMs) => {
    const began = performance.now()
    const slow = Promise.all(Array.from({ length: CLIENTS }, () => trickle(port, head, more)))
    const over = new AbortController()
    void slow.then(() => over.abort())
    let served = 0
    while (!over.signal.aborted) {
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
      served += 1
    }
    const answers = await slow
    expect(performance.now() - began).toBeGreaterThan(afterMs * 0.9)
    expect(served).toBeGreaterThan(3)
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      expect(answer).toMatch(/x-ratelimit-limit: \d+\r\n/i)
      expect(answer).toContain('"code":"request_timeout"')
    }
  })

  it('with a body that was refused are disconnected when the time of the request is over', async () => {
    const head = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900000000\r\n\r\n'
    const answers = await trickle(port, head, 'x')
    expect(answers).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n[^]*HTTP\/1\.1 408 Request Timeout\r\n/)
  })
})

describe.skipIf(isMissing('openssl'))('clients that do not finish shaking hands', () => {
  let app: App
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-slow-'))
    const { certFile, keyFile } = makeAuthority(folder)
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    const clock = createFakeClock(0)
    const limiter = createUnlimited(
      { auth: 1, read: 1, write: 1, agent: 1, probe: 1, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
      clock,
    )
    app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls, schemas: [], timeouts: SHORT })
    await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  // The head of a ClientHello of 196 bytes.
  const hello = Buffer.from('16030100c8010000c4', 'hex')
  it.each([
    ['say nothing', '', ''],
    ['stop in the middle', hello, ''],
    ['go on byte by byte', hello, '\x03'],
    ['speak plainly', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', ''],
  ])('and %s are closed', async (_, head, more) => {
    const { port } = app.server.address() as AddressInfo
    expect(await Promise.all(Array.from({ length: CLIENTS }, () => trickle(port, head, more)))).toEqual(Array(CLIENTS).fill(''))
  })
})

/** What a connection is answered that sends its head and then a little again and again, until it is closed. */
function trickle(port: number, head: string | Buffer, more: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    const timer = setInterval(() => socket.write(more), TRICKLE_MS)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(timer)
      resolve(Buffer.concat(chunks).toString())
    })
  })
}
