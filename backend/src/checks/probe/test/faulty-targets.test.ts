import { once } from 'node:events'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../index.ts'
import { answerOf, define, readRequest, startAnswering, startTarget, type Target, unhindered } from './targets.ts'

/**
 * Case C2 of the catalogue of faults, without its TLS part: targets that break off, flood or lie. Each check ends by itself, with the
 * right code. That it ends within its timeout is the prober's deadline, which the stalling ones here and the bench show.
 */
let prober: Prober
const targets: Target[] = []
const open = async (target: Promise<Target>) => {
  targets.push(await target)
  return targets.at(-1) as Target
}
const check = (url: string, change: Partial<CheckDefinition> = {}) => prober.check(define(url, change))
const verdict = ({ outcome, error }: CheckResult) => [outcome, error?.code ?? null]

beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()))
})
afterAll(() => prober.close())

const WITH_LENGTH =
  'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Long: abcdefghijklmnop\r\nContent-Length: 12\r\n\r\nhello, world'
const IN_CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: a\r\n\r\n'
const INTERIM = `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${WITH_LENGTH}`

describe.each([
  ['with a length', WITH_LENGTH],
  ['in chunks', IN_CHUNKS],
  ['behind an interim one', INTERIM],
])('an answer %s', (_name, answer) => {
  test.each(['closed', 'reset'])('that is %s at any byte is a protocol error, and nowhere an answer [CHECK-05]', async (how) => {
    const target = await open(
      startTarget((socket) =>
        readRequest(socket, (request) => {
          const upTo = Number(/ \/(\d+)/.exec(request)?.[1])
          if (how === 'closed') socket.end(answer.slice(0, upTo))
          // What was written goes out first, else the target's system throws it away.
          else if (upTo === 0) socket.resetAndDestroy()
          else socket.write(answer.slice(0, upTo), () => setImmediate(() => socket.resetAndDestroy()))
        }),
      ),
    )
    const results = await Promise.all(Array.from({ length: answer.length }, (_, upTo) => check(`${target.url}/${upTo}`)))
    expect(new Set(results.map((result) => verdict(result).join(' ')))).toEqual(new Set(['down protocol']))
    expect(results.every(({ response_ms }) => response_ms === null)).toBe(true)
  })

  test('that is whole is one', async () => {
    const target = await open(startAnswering(answer))
    expect((await check(target.url)).outcome).toBe('up')
  })
})

describe('an answer', () => {
  const ENDLESS = Buffer.alloc(65_536, 'a')

  /** Writes without end, as fast as it is taken. */
  function flood(socket: Socket, head: string, piece: Buffer | string = ENDLESS): void {
    socket.write(head)
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', more)
    }
    more()
  }

  const flooding = (head: string, piece?: Buffer | string) =>
    open(startTarget((socket) => readRequest(socket, () => flood(socket, head, piece))))

  test.each([
    ['a head without end', 'HTTP/1.1 200 OK\r\nX-Long: ', ENDLESS],
    ['fields without end', 'HTTP/1.1 200 OK\r\n', 'X-Field: value\r\n'.repeat(1_000)],
    ['interim answers without end', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)],
    ['large interim answers', '', `HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a chunk size without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'.repeat(10_000)],
    ['a chunk extension without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;', ENDLESS],
    ['trailers without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-Trailer: value\r\n'.repeat(1_000)],
    ['a trailer without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ', ENDLESS],
    ['noise', '', ENDLESS],
  ])('with %s is a protocol error', async (_name, head, piece) => {
    const target = await flooding(head, piece)
    expect(verdict(await check(target.url))).toEqual(['down', 'protocol'])
  })

  test.each([
    ['up to its end', 'HTTP/1.1 200 OK\r\n\r\n', ENDLESS],
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n', ENDLESS],
    ['in one chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n', ENDLESS],
    ['in chunks of one byte', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'.repeat(1_000)],
    [
      'in chunks that are mostly extension',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      `1;${'x'.repeat(4_000)}\r\na\r\n`,
    ],
  ])('without end, %s, is read up to the bound and is no fault [CHECK-01]', async (_name, head, piece) => {
    const target = await flooding(head, piece)
    const assertions = [{ type: 'body', operator: 'matches', value: '^a+$' } as const]
    expect(await check(target.url, { assertions })).toMatchObject({ outcome: 'up', error: null, status_code: 200 })
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(200_000_000))],
    ['gzip', gzipSync(gzipSync(Buffer.alloc(50_000_000)))],
    ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
    ['zstd', zstdCompressSync(Buffer.alloc(50_000_000))],
  ])('that is a %s bomb of %# is inflated up to the bound and is no fault', async (coding, bomb) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const target = await open(startAnswering(Buffer.concat([Buffer.from(head), bomb])))
    const assertions = [{ type: 'body', operator: 'not_contains', value: 'x' } as const]
    expect(await check(target.url, { assertions })).toMatchObject({ outcome: 'up', error: null })
  })

  const chunks = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
  test.each([
    ['a chunk size that is none', chunks('xyz\r\nhello\r\n0\r\n\r\n')],
    ['a negative chunk size', chunks('-5\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size beyond all bounds', chunks('fffffffffffffffff\r\nhello')],
    ['a chunk that is longer than it says', chunks('3\r\nhello\r\n0\r\n\r\n')],
    ['a chunk that is shorter than it says', chunks('6\r\nhello\r\n0\r\n\r\n')],
    ['a chunk without its line break', chunks('5\r\nhello0\r\n\r\n')],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello'],
    ['two lengths', answerOf('hello', 'Content-Length: 6\r\n')],
    ['a blank before the colon of its length', 'HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello'],
    ['another protocol unasked', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of zero', 'HTTP/1.1 000 OK\r\n\r\n'],
    ['another version', 'HTTP/3.0 200 OK\r\n\r\n'],
    ['gzip that is none', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello'],
    [
      'more codings than anybody needs',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\nContent-Length: 5\r\n\r\nhello',
    ],
    ['nothing', ''],
    ['an empty line', '\r\n\r\n'],
    ['words of SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['words of a mail server', '220 mail.example ESMTP\r\n'],
    ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46'],
    ['words of HTTP/2', Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0])],
  ])('with %s is a protocol error', async (_name, answer) => {
    const target = await open(startAnswering(answer))
    expect(verdict(await check(target.url))).toEqual(['down', 'protocol'])
  })

  test.each([
    [0, 'the first byte of an answer'],
    [10, 'the rest of the answer'],
    [WITH_LENGTH.length - 1, 'the rest of the answer'],
  ])('that stalls after %d bytes is a timeout that says what was waited for [CHECK-05]', async (length, words) => {
    const target = await open(startTarget((socket) => readRequest(socket, () => socket.write(WITH_LENGTH.slice(0, length)))))
    // Long enough for a busy machine to get as far as the bytes that there are.
    const result = await unhindered(() => check(target.url, { timeout: 3 }))
    expect(result.error).toEqual({ code: 'timeout', message: `no answer within 3 s: still waiting for ${words}` })
    expect(result).toMatchObject({ outcome: 'down', response_ms: null, status_code: length > 50 ? 200 : null })
  })

  test('that comes before the request was sent is an answer', async () => {
    const target = await open(startTarget((socket) => socket.end(answerOf('too early'))))
    expect((await check(target.url)).outcome).toBe('up')
  })
})

describe('a connection', () => {
  test('that is refused says so [CHECK-05]', async () => {
    const target = await open(startAnswering(''))
    await target.close()
    expect(await check(target.url)).toMatchObject({
      outcome: 'down',
      error: { code: 'connect', message: 'the connection was refused' },
    })
  })

  test('is given up at once when the check is over', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const target = await open(
      startTarget((socket) => {
        closed = once(socket, 'end')
        socket.resume()
      }),
    )
    expect((await unhindered(() => check(target.url, { timeout: 1 }))).error?.code).toBe('timeout')
    await closed
  })
})

test('all of that leaves nothing behind', async () => {
  expect(prober.stats().inFlight).toBe(0)
})
