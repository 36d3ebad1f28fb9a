import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { protocolFault } from '../conversation/check-fault.ts'

/** Packets of RFC 2865 with the Message-Authenticator of RFC 3579. */

export const ACCESS_REQUEST = 1
export const STATUS_SERVER = 12
const REPLIES: Readonly<Record<number, string>> = { 2: 'Access-Accept', 3: 'Access-Reject', 11: 'Access-Challenge' }
export const replyName = (code: number): string => REPLIES[code] ?? `code ${code}`

const USER_NAME = 1
const USER_PASSWORD = 2
const REPLY_MESSAGE = 18
const NAS_IDENTIFIER = 32
const MESSAGE_AUTHENTICATOR = 80

const HEADER = 20
const MAX_LENGTH = 4_096

const md5 = (...parts: (Buffer | string)[]): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const attribute = (type: number, value: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from([type, Buffer.byteLength(value) + 2]), Buffer.from(value as string)])

/** Blocks of 16 bytes, each under the hash of the one in front of it (RFC 2865, 5.2). */
function hidden(password: string, secret: string, authenticator: Buffer): Buffer {
  const clear = Buffer.from(password)
  const padded = Buffer.concat([clear, Buffer.alloc((16 - (clear.length % 16)) % 16 || (clear.length === 0 ? 16 : 0))])
  let last = authenticator
  const blocks: Buffer[] = []
  for (let at = 0; at < padded.length; at += 16) {
    const mask = md5(secret, last)
    last = Buffer.from(padded.subarray(at, at + 16).map((byte, index) => byte ^ (mask[index] as number)))
    blocks.push(last)
  }
  return Buffer.concat(blocks)
}

interface Request {
  code: number
  identifier: number
  authenticator: Buffer
  secret: string
  login: { username: string; password: string } | undefined
  nasIdentifier: string
}

function packet(code: number, identifier: number, authenticator: Buffer, attributes: Buffer): Buffer {
  const head = Buffer.from([code, identifier, 0, 0])
  head.writeUInt16BE(HEADER + attributes.length, 2)
  return Buffer.concat([head, authenticator, attributes])
}

const UNSIGNED = attribute(MESSAGE_AUTHENTICATOR, Buffer.alloc(16))

/** The Message-Authenticator comes first, and its own place is zeros while it is made. */
export function encodeRequest({ code, identifier, authenticator, secret, login, nasIdentifier }: Request): Buffer {
  const attributes = Buffer.concat([
    UNSIGNED,
    ...(login
      ? [attribute(USER_NAME, login.username), attribute(USER_PASSWORD, hidden(login.password, secret, authenticator))]
      : []),
    ...(nasIdentifier === '' ? [] : [attribute(NAS_IDENTIFIER, nasIdentifier)]),
  ])
  const bytes = packet(code, identifier, authenticator, attributes)
  createHmac('md5', secret)
    .update(bytes)
    .digest()
    .copy(bytes, HEADER + 2)
  return bytes
}

interface Expected {
  identifier: number
  authenticator: Buffer
  secret: string
  /** A reply without Message-Authenticator does not count. */
  isSigned: boolean
}

export interface RadiusReply {
  code: number
  message: string
}

/** Undefined for a reply to another request. Throws for one that was made without the secret. */
export function decodeReply(bytes: Buffer, expected: Expected): RadiusReply | undefined {
  const length = bytes.length < HEADER ? 0 : bytes.readUInt16BE(2)
  if (length < HEADER || length > bytes.length || length > MAX_LENGTH) throw protocolFault('the target does not speak RADIUS')
  const whole = bytes.subarray(0, length)
  if (whole[1] !== expected.identifier) return undefined
  const attributes = attributesOf(whole)
  const own = md5(whole.subarray(0, 4), expected.authenticator, whole.subarray(HEADER), expected.secret)
  if (!timingSafeEqual(own, whole.subarray(4, HEADER))) throw protocolFault('the server does not have the same shared secret')
  const signature = attributes.find(({ type }) => type === MESSAGE_AUTHENTICATOR)
  if (!signature && expected.isSigned) throw protocolFault('the server sent a reply without a Message-Authenticator')
  if (signature && !isSignedBy(whole, signature, expected)) throw protocolFault('the reply has an invalid Message-Authenticator')
  const texts = attributes.filter(({ type }) => type === REPLY_MESSAGE)
  return { code: whole[0] as number, message: texts.map(({ value }) => value.toString()).join('') }
}

interface Attribute {
  type: number
  value: Buffer
  /** Of the value in the packet. */
  at: number
}

function attributesOf(whole: Buffer): Attribute[] {
  const attributes: Attribute[] = []
  for (let at = HEADER; at < whole.length; ) {
    const length = whole[at + 1] ?? 0
    if (length < 2 || at + length > whole.length) throw protocolFault('the target sent a message that is cut short')
    attributes.push({ type: whole[at] as number, value: whole.subarray(at + 2, at + length), at: at + 2 })
    at += length
  }
  return attributes
}

/** Made over the packet with the authenticator of the request, and zeros in its own place (RFC 3579, 3.2). */
function isSignedBy(whole: Buffer, { value, at }: Attribute, { authenticator, secret }: Expected): boolean {
  if (value.length !== 16) return false
  const signed = Buffer.from(whole)
  authenticator.copy(signed, 4)
  signed.fill(0, at, at + 16)
  return timingSafeEqual(createHmac('md5', secret).update(signed).digest(), value)
}
