import { constants, createHash, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { TestCertificate } from '../../../test/certificates.ts'
import { startTarget, type Target } from '../../../test/targets.ts'

export interface CachingServer {
  password: string
  /** The server has the password in its cache, so that the proof of the first message is enough. */
  isCached: boolean
  certificate: TestCertificate
  /** Instead of its RSA key. */
  publicKey?: string
  /** Without one, 8.4.9. */
  version?: string
  /** The number and text of an error in the place of OK. */
  refuses?(statement: string): [number: number, text: string] | undefined
}

const NONCE = Buffer.from('0123456789abcdefghij')
const TLS = 0x800
const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 })

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const xor = (bytes: Buffer, other: Buffer) => Buffer.from(bytes.map((byte, index) => byte ^ (other[index % other.length] ?? 0)))

/** The side of MySQL 8 in a login by `caching_sha2_password` and one query, as its protocol is documented; Debian has no MySQL. */
export function startCachingServer(options: CachingServer): Promise<Target> {
  return startTarget((socket) => {
    serve(socket, socket, talk(options))
    socket.write(packet(0, greeting(options.version)))
  })
}

type Step = (payload: Buffer, isSecure: boolean) => { answers: Buffer[]; next?: Step; isTls?: boolean }

/** Answers each packet by the current step; begins TLS where a step wants it. */
function serve(raw: Socket, socket: Socket, first: { step: Step; certificate: TestCertificate }): void {
  let pending: Buffer = Buffer.alloc(0)
  let { step } = first
  const take = (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= 4 && pending.length >= 4 + pending.readUIntLE(0, 3)) {
      const end = 4 + pending.readUIntLE(0, 3)
      const sequence = pending[3] ?? 0
      const { answers, next = step, isTls = false } = step(pending.subarray(4, end), socket !== raw)
      pending = pending.subarray(end)
      step = next
      for (const [index, answer] of answers.entries()) socket.write(packet(sequence + 1 + index, answer))
      if (!isTls) continue
      socket.removeListener('data', take)
      socket.pause()
      // The client does not wait.
      if (pending.length > 0) socket.unshift(pending)
      const { key, cert } = first.certificate
      const secure = new TLSSocket(raw, { isServer: true, key, cert })
      secure.on('error', () => {})
      return serve(raw, secure, { ...first, step })
    }
  }
  socket.on('data', take)
}

function packet(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}

function greeting(version = '8.4.9'): Buffer {
  const capabilities = 0x80000 | 0x8000 | 0x200 | TLS | 8
  const numbers = Buffer.alloc(4 + 8 + 1 + 2 + 1 + 2 + 2 + 1 + 10)
  NONCE.copy(numbers, 4, 0, 8)
  numbers.writeUInt16LE(capabilities & 0xffff, 13)
  numbers.writeUInt16LE(capabilities >>> 16, 18)
  numbers[20] = 21
  return Buffer.concat([Buffer.from(`\x0a${version}\0`), numbers, NONCE.subarray(8), Buffer.from('\0caching_sha2_password\0')])
}

const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0])
const END = Buffer.from([0xfe, 0, 0, 2, 0])
const DENIED = Buffer.from("\xff\x15\x04#28000Access denied for user 'monitor'@'10.1.2.3'", 'latin1')
const errorOf = (number: number, text: string) =>
  Buffer.concat([Buffer.from([0xff, number & 0xff, number >> 8]), Buffer.from(`#HY000${text}`)])
/** `1`, a bigint. */
const COLUMN = Buffer.concat([Buffer.from('\x03def\0\0\0\x011\0\x0c'), Buffer.from([63, 0, 1, 0, 0, 0, 8, 0x81, 0, 0, 0, 0])])

function talk({ password, isCached, certificate, publicKey, refuses }: CachingServer): {
  step: Step
  certificate: TestCertificate
} {
  const once = sha256(Buffer.from(password))
  const proof = xor(once, sha256(sha256(once), NONCE))
  const pem = publicKey ?? keys.publicKey.export({ type: 'spki', format: 'pem' })
  const decide = (bytes: Buffer) =>
    bytes.equals(Buffer.from(`${password}\0`)) ? { answers: [OK], next: query } : { answers: [DENIED] }
  const query: Step = (payload) => {
    if (payload[0] === 0x16) return { answers: [Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), COLUMN, END] }
    if (payload.toString() === '\x03select 1') return { answers: [Buffer.from([1]), COLUMN, END, Buffer.from('\x011'), END] }
    const refusal = refuses?.(payload.toString('utf8', 1))
    return { answers: [refusal ? errorOf(...refusal) : OK] }
  }
  const decrypt: Step = (payload) =>
    decide(xor(privateDecrypt({ key: keys.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, payload), NONCE))
  const full: Step = (payload, isSecure) => {
    if (isSecure) return decide(payload)
    return payload.equals(Buffer.from([2])) ? { answers: [Buffer.from(`\x01${pem}`)], next: decrypt } : { answers: [DENIED] }
  }
  const logIn: Step = (payload) => {
    if (payload.length === 32 && (payload.readUInt32LE() & TLS) !== 0) return { answers: [], isTls: true }
    const afterUser = payload.indexOf(0, 32) + 1
    const given = payload.subarray(afterUser + 1, afterUser + 1 + (payload[afterUser] ?? 0))
    if (!isCached) return { answers: [Buffer.from([1, 4])], next: full }
    return given.equals(proof) ? { answers: [Buffer.from([1, 3]), OK], next: query } : { answers: [DENIED] }
  }
  return { step: logIn, certificate }
}
