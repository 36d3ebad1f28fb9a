import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { conflict } from '../../errors.ts'
import { silentLog } from '../../logging/log.ts'
import type { App } from '../app.ts'
import { toApiError } from '../envelope.ts'
import { decodeText } from '../json-body.ts'
import { createPlainBodyHook } from '../plain-body.ts'
import { createUnlimited } from '../rate-limit.ts'
import { createServer } from '../server.ts'

const LIMIT = 200

describe('a route that reads plain JSON by itself answers as one that does not', () => {
  let app: App
  const taken: string[] = []
  const errors: string[] = []
  const logged: unknown[] = []
  beforeAll(async () => {
    const clock = createFakeClock(0)
    const limiter = createUnlimited(
      { auth: 1, read: 1, write: 1, agent: 1, probe: 1, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
      clock,
    )
    const log = { ...silentLog, error: (facts: unknown) => void logged.push(facts) }
    app = createServer({ log, clock, limiter, trustedProxies: 0, tls: undefined, schemas: [] })
    app.addHook('onError', async (_request, _reply, error) => void errors.push(toApiError(error).code))
    const compile = app.validatorCompiler as NonNullable<App['validatorCompiler']>
    const own = {
      schema: { body: Type.Any(), response: { 202: Type.Any() } },
      config: { checksOwnBody: true, inflatedLimit: LIMIT } as const,
      bodyLimit: LIMIT,
      validatorCompiler: (part: Parameters<typeof compile>[0]) => (part.httpPart === 'body' ? () => true : compile(part)),
    }
    const answerTo = async (body: unknown) => {
      const { outcome } = (body ?? {}) as { outcome?: string }
      if (outcome === 'conflict') throw conflict('Not this one.')
      if (outcome === 'fault') throw new TypeError('a bug')
      return { got: body ?? null }
    }
    const here = createPlainBodyHook({
      limitBytes: LIMIT,
      status: 202,
      parsers: {
        'application/json': (bytes) => {
          const text = decodeText(bytes)
          taken.push(text)
          return JSON.parse(text)
        },
      },
      answer: async (_request, _reply, takeBody) => JSON.stringify(await answerTo(takeBody())),
    })
    app.post('/v1/here', { ...own, onRequest: here }, async (request, reply) =>
      reply.code(202).send(await answerTo(request.body)),
    )
    app.post('/v1/there', own, async (request, reply) => reply.code(202).send(await answerTo(request.body)))
    await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  /** Everything that comes back on a connection of its own, but for what is another each time. */
  async function send(path: string, headers: string, parts: readonly (string | Buffer)[]): Promise<string> {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    const answer = text(socket)
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)
    for (const part of parts) {
      // Once another was answered the server has this one's beginning.
      await app.inject({ method: 'GET', url: '/' })
      socket.write(part)
    }
    // Half a connection: the answer comes, then the end.
    socket.end()
    return (await answer).replaceAll(/[0-9a-f-]{36}/g, 'id').replace(/Date: .*/, 'Date:')
  }

  const both = async (query: string, headers: string, parts: readonly (string | Buffer)[]) => [
    await send(`/v1/here${query}`, headers, parts),
    await send(`/v1/there${query}`, headers, parts),
  ]
  const plain = (length: number) => `Content-Type: application/json\r\nContent-Length: ${length}`

  it.each([
    ['a body in one piece', ['{"a":1}'], '202 Accepted'],
    ['a body in three', ['{"a":', '"é', '"}'], '202 Accepted'],
    ['a byte order mark', ['\ufeff{"a":1}'], '202 Accepted'],
    ['a refusal', ['{"outcome":"conflict"}'], '409 Conflict'],
    ['a fault of ours', ['{"outcome":"fault"}'], '500 Internal Server Error'],
    ['what is no JSON', ['{"a":'], '400 Bad Request'],
  ])('to %s, without the framework', async (_, parts, status) => {
    const bytes = Buffer.byteLength(parts.join(''))
    taken.length = 0
    const [here, there] = await both('', plain(bytes), parts)
    expect(here).toMatch(`HTTP/1.1 ${status}`)
    expect(here).toBe(there)
    expect(taken).toEqual([parts.join('').replace('\ufeff', '')])
  })

  it.each([
    ['an empty body', '', plain(0), []],
    ['a body that is too large', '', plain(LIMIT + 1), [`"${'x'.repeat(LIMIT - 1)}"`]],
    ['a query', '?a=1', plain(2), ['{}']],
    ['gzip', '', `Content-Encoding: gzip\r\n${plain(gzipSync('{}').length)}`, [gzipSync('{}')]],
    ['chunks', '', 'Content-Type: application/json\r\nTransfer-Encoding: chunked', ['2\r\n{}\r\n0\r\n\r\n']],
    ['another type', '', 'Content-Type: text/plain\r\nContent-Length: 2', ['{}']],
    ['a charset', '', 'Content-Type: application/json; charset=utf-8\r\nContent-Length: 2', ['{}']],
    ['what is not UTF-8', '', plain(9), [Buffer.from('{"a":"\xff"}', 'latin1')]],
    ['a body that breaks off', '', plain(9), ['{}']],
  ])('to %s, by it', async (_, query, headers, parts) => {
    taken.length = 0
    const [here, there] = await both(query, headers, parts)
    expect(here).toBe(there)
    expect(taken).toEqual([])
  })

  it.each(['/v1/here', '/v1/there'])('and a client of %s that leaves within its body is not logged as a fault', async (path) => {
    errors.length = 0
    logged.length = 0
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    const arrived = once(app.server, 'request')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${plain(9)}\r\n\r\n{"a"`)
    await arrived
    socket.resetAndDestroy()
    await expect.poll(() => errors).toEqual(['validation_error'])
    expect(logged).toEqual([])
  })
})
