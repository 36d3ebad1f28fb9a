import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../harness.ts'
import { expectPromises } from './published-routes.ts'
import { pushAt } from './push.ts'
import { createFixture, LIMIT_MS, RUNS, type FuzzFixture } from './fixture.ts'

let world: FuzzFixture
beforeAll(async () => {
  world = await createFixture()
  await world.backend.vedette.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => world.close())

const push = (samples: object[]) => pushAt(world.backend.clock.now(), samples)

describe('on the wire', () => {
  it('answers any bytes in a header, a target and a chunk', { timeout: LIMIT_MS }, async () => {
    const junk = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
    const body = JSON.stringify(push([{ cpu: { percent: 1 } }]))
    const requests = fc.oneof(
      junk.map((text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\nX-Junk: ${text}\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\n${text}: a\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `GET /v1/servers?q=${text} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `${text} /v1/servers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      junk.map(
        (text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\nX-API-Key: vdt\r\nSet-Cookie: ${text}\r\nConnection: close\r\n\r\n`,
      ),
      junk.map((text) => `${chunkedHead}2\r\n{}\r\n${text}\r\n\r\n`),
      junk.map((text) => `${chunkedHead}${body.length.toString(16)};${text}\r\n${body}\r\n0\r\n\r\n`),
    )
    const property = fc.asyncProperty(requests, async (request) => {
      for (const answer of await exchange(Buffer.from(request, 'latin1'), 50)) expectPromises(answer)
    })
    await fc.assert(property, { numRuns: RUNS * 4 })
    expect((await exchange(Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')))[0]?.status).toBe(200)
  })

  it('reads a body the same however it is cut into chunks', async () => {
    world.backend.clock.advance(1_000)
    const body = Buffer.from(JSON.stringify(push([{ cpu: { percent: 1 } }])))
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    const property = fc.asyncProperty(cuts, async (sizes) => {
      const chunks: string[] = []
      for (let at = 0; at < body.length; ) {
        const chunk = body.subarray(at, at + (sizes[chunks.length % sizes.length] as number)).toString('latin1')
        chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
        at += chunk.length
      }
      const [answer] = await exchange(Buffer.from(`${chunkedHead}${chunks.join('')}0\r\n\r\n`, 'latin1'))
      expect(answer?.status, JSON.stringify(answer?.body)).toBe(202)
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('lets no line break out of a value into the headers', async () => {
    for (const value of ['a\r\nSet-Cookie: b=c', '%0d%0aSet-Cookie:%20b=c', '\u010d\u010aSet-Cookie: b=c']) {
      const lines = `GET /v1/servers/${encodeURI(value)} HTTP/1.1\r\nHost: ${value}\r\nX-Request-Id: ${value}\r\nConnection: close\r\n\r\n`
      for (const { headers } of await exchange(Buffer.from(lines))) expect(headers).not.toHaveProperty('set-cookie')
    }
  })

  const chunkedHead =
    'POST /v1/agent/metrics HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nX-API-Key: TOKEN\r\n\r\n'

  /** What raw bytes are answered until the connection is closed: one answer for each request that they hold. */
  async function exchange(bytes: Buffer, patienceMs = 5_000): Promise<Answer[]> {
    const { port } = world.backend.vedette.app.server.address() as AddressInfo
    const token = world.agent.as['x-api-key'] ?? ''
    const request = Buffer.from(bytes.toString('latin1').replace('X-API-Key: TOKEN', `X-API-Key: ${token}`), 'latin1')
    const text = await new Promise<string>((resolve) => {
      const chunks: Buffer[] = []
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      // What is no whole request waits for the rest, which does not come.
      socket.setTimeout(patienceMs, () => socket.destroy())
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('error', () => socket.destroy())
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    })
    return text
      .split(/(?=HTTP\/1\.1 \d{3} )/)
      .filter((part) => part !== '')
      .map(toAnswer)
  }
})

function toAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name = '', value]) => [name.toLowerCase(), value]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) }
}
