import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TestCertificate } from '../../../test/certificates.ts'

/**
 * A double of MongoDB, which Debian does not have, from its specifications: OP_MSG, BSON 1.1 and SCRAM-SHA-256 (RFC 7677). It shares no
 * code with the check.
 */
export interface MongoDouble {
  port: number
  close(): Promise<void>
}

interface Answers {
  /** Other answers by the name of the command; undefined: not found. */
  commands?: Readonly<Record<string, Document | undefined>>
  user?: { database: string; name: string; password: string }
  certificate?: TestCertificate
  /** Adds a checksum that nobody compares. */
  hasChecksum?: boolean
}

export type Document = { readonly [name: string]: Value }
type Value = string | number | boolean | Date | Buffer | bigint | readonly string[] | Document

const ELEMENTS: readonly [number, (value: Value) => boolean, (value: never) => Buffer][] = [
  [
    0x02,
    (value) => typeof value === 'string',
    (value: string) => Buffer.concat([int(Buffer.byteLength(value) + 1), Buffer.from(`${value}\0`)]),
  ],
  [0x08, (value) => typeof value === 'boolean', (value: boolean) => Buffer.from([value ? 1 : 0])],
  [0x10, (value) => Number.isInteger(value), (value: number) => int(value)],
  [0x01, (value) => typeof value === 'number', (value: number) => double(value)],
  [0x12, (value) => typeof value === 'bigint', (value: bigint) => long(value)],
  [0x09, (value) => value instanceof Date, (value: Date) => long(BigInt(value.getTime()))],
  [0x05, (value) => Buffer.isBuffer(value), (value: Buffer) => Buffer.concat([int(value.length), Buffer.alloc(1), value])],
  [0x04, (value) => Array.isArray(value), (value: string[]) => bsonOf(Object.fromEntries(value.entries()))],
  [0x03, () => true, (value: Document) => bsonOf(value)],
]

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}
function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

export function bsonOf(document: Document): Buffer {
  const elements = Object.entries(document).map(([name, value]) => {
    const [type, , write] = ELEMENTS.find(([, is]) => is(value)) as (typeof ELEMENTS)[number]
    return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), write(value as never)])
  })
  const body = Buffer.concat([...elements, Buffer.alloc(1)])
  return Buffer.concat([int(body.length + 4), body])
}

export function reply(responseTo: number, document: Document, hasChecksum = false): Buffer {
  const body = Buffer.concat([int(Number(hasChecksum)), Buffer.alloc(1), bsonOf(document), Buffer.alloc(hasChecksum ? 4 : 0)])
  return Buffer.concat([int(16 + body.length), int(777), int(responseTo), int(2013), body])
}

/** The name of the command, and the texts and the bytes that are looked for in its document. */
const commandOf = (message: Buffer) => ({
  id: message.readInt32LE(4),
  name: message.toString('latin1', 26, message.indexOf(0, 26)),
  payload: payloadOf(message),
  database: /\$db\0....([^\0]*)\0/s.exec(message.toString('latin1'))?.[1] ?? '',
})
function payloadOf(message: Buffer): string {
  const at = message.indexOf('\x05payload\0')
  return at === -1 ? '' : message.toString('utf8', at + 14, at + 14 + message.readInt32LE(at + 9))
}

export const FAILED = { ok: 0, errmsg: 'Authentication failed.', code: 18, codeName: 'AuthenticationFailed' }
const NOT_FOUND = (name: string) => ({ ok: 0, errmsg: `no such command: '${name}'`, code: 59 })
export const STANDALONE: Document = {
  isWritablePrimary: true,
  maxWireVersion: 21,
  localTime: new Date(0),
  readOnly: false,
  ok: 1.0,
}

export async function startMongo({ commands = {}, user, certificate, hasChecksum = false }: Answers = {}): Promise<MongoDouble> {
  const open = new Set<Socket>()
  const serve = (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => {})
    const login = createLogin(user)
    const answer = (message: Buffer) => {
      const command = commandOf(message)
      const { id, name } = command
      const own: Readonly<Record<string, () => Document>> = {
        hello: () => STANDALONE,
        ping: () => ({ ok: 1.0 }),
        buildInfo: () =>
          user && !login.isIn() ? { ok: 0, errmsg: 'requires authentication', code: 13 } : { version: '7.0.14', ok: 1.0 },
        saslStart: () => login.start(command),
        saslContinue: () => login.proceed(command),
      }
      const document = Object.hasOwn(commands, name) ? commands[name] : own[name]?.()
      socket.write(reply(id, document ?? NOT_FOUND(name), hasChecksum))
    }
    // Several commands may come at once.
    socket.on('data', (messages: Buffer) => {
      for (let at = 0; at < messages.length; at += messages.readInt32LE(at))
        answer(messages.subarray(at, at + messages.readInt32LE(at)))
    })
  }
  const server = certificate ? createTlsServer(certificate, serve) : createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const hmac = (key: Buffer, text: string | Buffer) => createHmac('sha256', key).update(text).digest()
const SALT = Buffer.from('salt of the double')
const ITERATIONS = 15_000

/** The side of the server in RFC 5802. */
function createLogin(user: Answers['user']) {
  let first = ''
  let challenge = ''
  let isIn = false
  return {
    isIn: () => isIn,
    start({ payload, database }: { payload: string; database: string }): Document {
      const [, bare = '', name = '', nonce = ''] = /^n,,(n=([^,]*),r=(.*))$/.exec(payload) ?? []
      if (!user || database !== user.database || name !== user.name.replaceAll('=', '=3D').replaceAll(',', '=2C')) return FAILED
      first = bare
      challenge = `r=${nonce}of-the-server,s=${SALT.toString('base64')},i=${ITERATIONS}`
      return { conversationId: 1, done: false, payload: Buffer.from(challenge), ok: 1.0 }
    },
    proceed({ payload }: { payload: string }): Document {
      const [, withoutProof = '', proof = ''] = /^(.*),p=(.*)$/.exec(payload) ?? []
      const signed = `${first},${challenge},${withoutProof}`
      const salted = pbkdf2Sync(user?.password ?? '', SALT, ITERATIONS, 32, 'sha256')
      const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
      const signature = hmac(storedKey, signed)
      const clientKey = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0))
      isIn = createHash('sha256').update(clientKey).digest().equals(storedKey)
      if (!isIn) return FAILED
      const final = `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`
      return { conversationId: 1, done: true, payload: Buffer.from(final), ok: 1.0 }
    },
  }
}
