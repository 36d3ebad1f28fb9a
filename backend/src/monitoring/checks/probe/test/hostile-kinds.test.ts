import { createHash } from 'node:crypto'
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { CheckTypeId } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../index.ts'
import { reply, STANDALONE } from '../kinds/mongodb/test/mongo-double.ts'
import { createSshDouble } from '../kinds/ssh/test/ssh-double.ts'
import { checkKind, type KindCheck } from './kinds.ts'
import { startTarget, type Target } from './targets.ts'

/** Kinds whose protocol is a conversation, with servers that answer as they should and a network that does not let them. */

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const database = { credentials: { username: 'monitor', password: '' } }

/** Each answers the next thing that the client sends; the first one comes by itself where `speaksFirst`. */
interface Script {
  type: CheckTypeId
  check: KindCheck
  speaksFirst?: true
  /** Of the URL. */
  path?: string
  /** A function makes those of one connection. */
  answers: Answer[] | (() => Answer[])
}
type Answer = Buffer | ((request: Buffer) => Buffer)

const message = (type: string, ...parts: (string | number[])[]) => {
  const body = bytes(...parts)
  return bytes(type, [0, 0, body.length >> 8, (body.length & 0xff) + 4], [...body])
}
const READY = message('Z', 'T')
const packet = (sequence: number, ...parts: (string | number[])[]) => {
  const body = bytes(...parts)
  return bytes([body.length, 0, 0, sequence], [...body])
}
/** Of MongoDB. */
const OK = { ok: 1 }
const MYSQL_OK = packet(1, [0, 0, 0, 2, 0, 0, 0])
const COLUMN = '\x03def\0\0\0\x011\0\x0c?\0\x01\0\0\0\x08\0\0\0\0\0'
const END = [0xfe, 0, 0, 2, 0]

const SCRIPTS: Script[] = [
  {
    type: 'postgres',
    check: database,
    answers: [
      bytes(
        [...message('R', [0, 0, 0, 0])],
        [...message('S', 'server_version\x0018.1\0')],
        [...message('K', 'processx')],
        [...READY],
      ),
      bytes(
        [...message('C', 'BEGIN\0')],
        [...message('C', 'SET\0')],
        [...READY],
        [...message('1')],
        [...message('t', [0, 0])],
        [...message('T', [0, 1], 'one\0', [0, 0, 0, 0, 0, 0], [0, 0, 0, 23], [0, 4, 255, 255, 255, 255, 0, 0])],
        [...READY],
      ),
      bytes([...message('2')], [...message('D', [0, 1, 0, 0, 0, 1], '1')], [...message('C', 'SELECT 1\0')], [...READY]),
    ],
  },
  {
    type: 'mysql',
    check: database,
    speaksFirst: true,
    answers: [
      packet(
        0,
        '\x0a8.4.9\0',
        [1, 0, 0, 0],
        '01234567\0',
        [8, 130, 45, 2, 0, 8, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        'abcdefghijkl\0mysql_native_password\0',
      ),
      packet(2, [0, 0, 0, 2, 0, 0, 0]),
      MYSQL_OK,
      MYSQL_OK,
      MYSQL_OK,
      bytes([...packet(1, [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])], [...packet(2, COLUMN)], [...packet(3, END)]),
      bytes([...packet(1, [1])], [...packet(2, COLUMN)], [...packet(3, END)], [...packet(4, '\x011')], [...packet(5, END)]),
    ],
  },
  { type: 'redis', check: { options: { command: 'GET key' } }, answers: [bytes('$5\r\nvalue\r\n')] },
  {
    type: 'smtp',
    check: {},
    speaksFirst: true,
    answers: [
      bytes('220 mail.test ESMTP\r\n'),
      bytes('250-mail.test\r\n250-SIZE 100\r\n250 NOOP\r\n'),
      bytes('250 2.0.0 Ok\r\n'),
    ],
  },
  {
    type: 'sip',
    check: { options: { transport: 'tcp' } },
    answers: [
      (request) => {
        const repeated = request.toString().match(/^(?:Via|From|To|Call-ID|CSeq): .*\r\n/gm) ?? []
        return bytes(`SIP/2.0 200 OK\r\n${repeated.join('')}Content-Length: 4\r\n\r\nbody`)
      },
    ],
  },
  {
    type: 'rtsp',
    check: { options: { method: 'DESCRIBE' }, credentials: { username: 'ada', password: 'b' } },
    answers: [
      bytes('RTSP/1.0 401 No\r\nWWW-Authenticate: Basic realm="a"\r\n\r\n'),
      bytes('RTSP/1.0 200 OK\r\nContent-Length: 14\r\n\r\nm=video 0 a 1\n'),
    ],
  },
  {
    type: 'ldap',
    check: { options: { filter: '(uid=ada)', attribute: 'cn' } },
    answers: [
      Buffer.from('300c02010261070a010004000400', 'hex'),
      Buffer.concat([
        Buffer.from(
          `3026020103 6421 0411 ${Buffer.from('uid=ada,dc=a,dc=b').toString('hex')} 300c 300a 0402 636e 3104 0402 4164`.replaceAll(
            ' ',
            '',
          ),
          'hex',
        ),
        Buffer.from('300c02010365070a010004000400', 'hex'),
      ]),
    ],
  },
  {
    type: 'imap',
    check: {},
    speaksFirst: true,
    answers: [bytes('* OK here\r\n'), bytes('* 1 EXISTS\r\na1 OK done\r\n')],
  },
  {
    type: 'ftp',
    check: { credentials: { username: 'monitor', password: 'secret' } },
    path: '/pub',
    speaksFirst: true,
    answers: [
      bytes('220-files.test\r\nhere\r\n220 ready\r\n'),
      bytes('331 password\r\n'),
      bytes('230 in\r\n'),
      bytes('250 there\r\n'),
    ],
  },
  {
    type: 'mongodb',
    check: {},
    answers: [Buffer.concat([reply(1, STANDALONE), reply(2, OK), reply(3, { version: '7.0.14', ok: 1 })])],
  },
  {
    type: 'mqtt',
    check: {},
    path: '/a',
    answers: [bytes([0x20, 2, 0, 0], [0x90, 3, 0, 1, 0], [0x31, 8, 0, 1], 'a', 'hello')],
  },
  { type: 'ssh', check: {}, speaksFirst: true, answers: createSshDouble },
  {
    type: 'websocket',
    check: { options: { expect: 'hello' } },
    answers: [
      (request) => {
        const key = /Sec-WebSocket-Key: (\S+)/.exec(request.toString())?.[1] ?? ''
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
        const head = `HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
        return bytes(head, [0x89, 2], 'hi', [0x01, 3], 'hel', [0x80, 2], 'lo')
      },
    ],
  },
]

const scheme = (type: string) => (type === 'websocket' ? 'ws' : type)

/** A server that follows the script. */
function startScript({ answers, speaksFirst }: Script): Promise<Target> {
  return startTarget((socket) => {
    const left = typeof answers === 'function' ? answers() : [...answers]
    const answer = (request: Buffer) => {
      const next = left.shift()
      if (next) socket.write(typeof next === 'function' ? next(request) : next)
    }
    if (speaksFirst) answer(Buffer.alloc(0))
    socket.on('data', answer)
  })
}

function startGrpc(): Promise<Target> {
  const server = createHttp2()
  server.on('sessionError', () => {})
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const close = () => new Promise<void>((done) => void server.close(() => done()))
      resolve({ port, url: '', connections: 0, close })
    })
  })
}

type Ending = (socket: Socket) => void
const closes: Ending = (socket) => void socket.end()
const stalls: Ending = () => {}
const floods =
  (piece: Buffer): Ending =>
  (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', more)
    }
    more()
  }
/** Not of the clock or of chance, so that a failure comes again. */
const NOISE = Buffer.concat(Array.from({ length: 2_000 }, (_, index) => createHash('sha256').update(`${index}`).digest()))

/** Passes on what the server says, up to a number of bytes; then the ending. */
async function startNetwork(
  server: number,
  most: number,
  ending: Ending,
  inPieces = false,
): Promise<Target & { passed: number }> {
  const target = await startTarget((socket) => {
    const upstream = connect(server, '127.0.0.1')
    upstream.on('error', () => {})
    let left = most
    const pass = (piece: Buffer) => {
      if (left <= 0) return
      const part = piece.subarray(0, left)
      left -= part.length
      network.passed += part.length
      if (inPieces) for (const byte of part) socket.write(Buffer.from([byte]))
      else socket.write(part)
      if (left === 0) ending(socket)
    }
    if (most === 0) ending(socket)
    upstream.on('data', pass)
    socket.on('data', (piece: Buffer) => void upstream.write(piece))
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => void socket.end())
  })
  const network = Object.assign(target, { passed: 0 })
  return network
}

describe.each<Script>([...SCRIPTS, { type: 'grpc', check: {}, answers: [] } satisfies Script])(
  'a check of type $type',
  (script) => {
    let prober: Prober
    let server: Target
    /** How many bytes the server says. */
    let total = 0
    beforeAll(async () => {
      prober = createProber({ allowPrivateTargets: 'all', perHostInFlight: 10_000 })
      server = script.type === 'grpc' ? await startGrpc() : await startScript(script)
    })
    afterAll(async () => {
      prober.close()
      await server.close()
    })

    /** `up`, or the outcome with the code of its error. */
    async function outcomeOf(most: number, ending: Ending, { timeout = 10, inPieces = false } = {}): Promise<string> {
      const network = await startNetwork(server.port, most, ending, inPieces)
      const url = `${scheme(script.type)}://127.0.0.1:${network.port}${script.path ?? ''}`
      const { outcome, error } = await checkKind(prober, script.type, url, { ...script.check, timeout })
      if (most === Number.POSITIVE_INFINITY) total = network.passed
      await network.close()
      return error ? `${outcome} ${error.code}` : outcome
    }
    /** Of each number of bytes, together. */
    const outcomes = (ending: Ending, options = {}) =>
      Promise.all(Array.from({ length: total }, (_, most) => outcomeOf(most, ending, options)))
    /** What is not a failure of this form, up to the last byte that matters, and what is not `up` from then on. */
    function othersThan(failure: RegExp, found: string[]): string[] {
      const needed = found.includes('up') ? found.indexOf('up') : found.length
      if (needed <= total / 2) return [`up after ${needed} of ${total} bytes`]
      return [
        ...found.slice(0, needed).filter((outcome) => !failure.test(outcome)),
        ...found.slice(needed).filter((outcome) => outcome !== 'up'),
      ]
    }

    test('is up when the network lets everything through, also byte by byte', async () => {
      expect(await outcomeOf(Number.POSITIVE_INFINITY, stalls)).toBe('up')
      expect(await outcomeOf(Number.POSITIVE_INFINITY, stalls, { inPieces: true })).toBe('up')
      expect(total).toBeGreaterThan(5)
    })

    test('is down when the connection is closed after any byte', async () => {
      expect(othersThan(/^down protocol$/, await outcomes(closes))).toEqual([])
    })

    test('is down when nothing comes after any byte', async () => {
      expect(othersThan(/^down timeout$/, await outcomes(stalls, { timeout: 1 }))).toEqual([])
    })

    test.each([
      ['zeros', Buffer.alloc(65_536)],
      ['letters', Buffer.alloc(65_536, 'a')],
      ['lines', Buffer.from('220-line\r\n* line\r\n'.repeat(4_000))],
      ['notices', Buffer.concat(Array.from({ length: 10_000 }, () => message('N', [0])))],
      ['noise', NOISE],
    ])('is down when %s without end come after any byte', async (_, piece) => {
      const found: string[] = []
      for (let most = 0; most < total; most += 1) found.push(await outcomeOf(most, floods(piece)))
      // In the right place they are a state that gRPC does not know.
      expect(othersThan(/^down (?:protocol|status)$/, found)).toEqual([])
    })
  },
)
