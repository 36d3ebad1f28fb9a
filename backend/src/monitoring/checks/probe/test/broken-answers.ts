import type { Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Assertion } from '@vedette/shared'
import { answerOf } from './targets.ts'

/** Case C2 of the catalogue of faults, without TLS: what a target may do in place of an answer, and what a check must make of it. */
export interface BrokenAnswer {
  name: string
  /** Sent first; what costs time to make is made when it is wanted. */
  bytes: string | Buffer | (() => Buffer)
  /** Sent behind it as fast as it is taken, until the check has enough. */
  endless?: string | Buffer
  /** What happens behind all that. */
  end: 'closed' | 'reset' | 'stalls'
  assertions: readonly Assertion[]
  /** Outcome and code of the error. */
  expected: string
}

export const WITH_LENGTH =
  'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Long: abcdefghijklmnop\r\nContent-Length: 12\r\n\r\nhello, world'
const IN_CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: a\r\n\r\n'
const INTERIM = `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${WITH_LENGTH}`

const ENDLESS = Buffer.alloc(65_536, 'a')
const TEN_MB = 10_000_000

/** Broken off before each of their bytes. */
export const CUT: readonly [name: string, answer: string][] = [
  ['with a length', WITH_LENGTH],
  ['in chunks', IN_CHUNKS],
  ['behind an interim one', INTERIM],
]

const FLOODS: readonly [name: string, head: string, piece: string | Buffer][] = [
  ['a head without end', 'HTTP/1.1 200 OK\r\nX-Long: ', ENDLESS],
  ['fields without end', 'HTTP/1.1 200 OK\r\n', 'X-Field: value\r\n'.repeat(1_000)],
  ['interim answers without end', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)],
  ['large interim answers', '', `HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a chunk size without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'.repeat(10_000)],
  ['a chunk extension without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;', ENDLESS],
  ['trailers without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-Trailer: value\r\n'.repeat(1_000)],
  ['a trailer without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ', ENDLESS],
  ['noise', '', ENDLESS],
]

const ENDLESS_BODIES: readonly [name: string, head: string, piece: string | Buffer][] = [
  ['up to its end', 'HTTP/1.1 200 OK\r\n\r\n', ENDLESS],
  ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n', ENDLESS],
  ['in one chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n', ENDLESS],
  ['in chunks of one byte', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'.repeat(1_000)],
  [
    'in chunks that are mostly extension',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    `1;${'x'.repeat(4_000)}\r\na\r\n`,
  ],
]

/** The default takes nearly thirty times as long, and saves nothing. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const bomb = (coding: string, make: () => Buffer) => (): Buffer => {
  const body = make()
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}
const BOMBS: readonly [name: string, bytes: () => Buffer][] = [
  ['a gzip bomb', bomb('gzip', () => gzipSync(Buffer.alloc(200_000_000)))],
  ['a gzip bomb in a gzip bomb', bomb('gzip, gzip', () => gzipSync(gzipSync(Buffer.alloc(200_000_000))))],
  ['a br bomb', bomb('br', () => brotliCompressSync(Buffer.alloc(50_000_000), QUICK))],
  ['a zstd bomb', bomb('zstd', () => zstdCompressSync(Buffer.alloc(50_000_000)))],
]

const chunks = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
const MALFORMED: readonly [name: string, bytes: string | Buffer | (() => Buffer)][] = [
  ['a head of 10 MB', () => Buffer.from(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(TEN_MB)}\r\nContent-Length: 0\r\n\r\n`)],
  ['10 MB of fields', () => Buffer.from(`HTTP/1.1 200 OK\r\n${'X-Field: value\r\n'.repeat(TEN_MB / 16)}\r\n`)],
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
]

const plain = { end: 'closed', assertions: [], expected: 'down protocol' } as const
const isAllOf = (letter: string): Assertion => ({ type: 'body', operator: 'matches', value: `^${letter}+$` })

export const BROKEN_ANSWERS: readonly BrokenAnswer[] = [
  ...FLOODS.map(([name, bytes, endless]) => ({ ...plain, name, bytes, endless })),
  ...MALFORMED.map(([name, bytes]) => ({ ...plain, name, bytes })),
  ...ENDLESS_BODIES.map(([name, bytes, endless]) => {
    return { ...plain, name: `a body without end, ${name}`, bytes, endless, assertions: [isAllOf('a')], expected: 'up' }
  }),
  ...BOMBS.map(([name, bytes]) => ({ ...plain, name, bytes, assertions: [isAllOf('\\x{0}')], expected: 'up' })),
  { ...plain, name: 'a redirect to itself', bytes: 'HTTP/1.1 302 X\r\nLocation: #\r\nContent-Length: 0\r\n\r\n' },
]

/** Each answer of CUT before each of its bytes: closed, reset, or left there for good. */
export const cutAnswers = (end: BrokenAnswer['end']): BrokenAnswer[] =>
  CUT.flatMap(([name, answer]) =>
    Array.from({ length: answer.length }, (_, length) => ({
      ...plain,
      name: `an answer ${name} that is ${end} after ${length} bytes`,
      bytes: answer.slice(0, length),
      end,
      expected: end === 'stalls' ? 'down timeout' : 'down protocol',
    })),
  )

/** Does to a connection what such a target does. */
export function sendBroken(socket: Socket, { bytes, endless, end }: BrokenAnswer): void {
  const first = typeof bytes === 'function' ? bytes() : bytes
  if (endless !== undefined) return flood(socket, first, endless)
  if (end === 'closed') return void socket.end(first)
  if (end === 'stalls') return void socket.write(first)
  if (first.length === 0) return void socket.resetAndDestroy()
  // What was written goes out first, else the target's system throws it away.
  socket.write(first, () => setImmediate(() => socket.resetAndDestroy()))
}

/** Writes without end, as fast as it is taken. */
function flood(socket: Socket, head: string | Buffer, piece: Buffer | string): void {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}
