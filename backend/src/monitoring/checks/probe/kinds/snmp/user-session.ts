import { timingSafeEqual } from 'node:crypto'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { contentsIn, elementIn, malformed } from '../conversation/ber-reader.ts'
import { element, integer, octets, OCTETS, SEQUENCE } from '../conversation/ber-writer.ts'
import { ByteReader } from '../conversation/byte-reader.ts'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import type { Datagrams } from '../conversation/datagram.ts'
import { type Auth, authKey, decrypt, encrypt, type EngineTime, macBytesOf, macOf, type Priv, privKey } from './keys.ts'
import { decodePdu, getRequest, numberIn, PDU, type Pdu } from './message.ts'
import type { Session } from './session.ts'

/** Version 3 with the user-based security model (RFC 3412, RFC 3414). */

export interface User {
  name: string
  context: string
  /** Absent: without authentication. */
  auth?: { hash: Auth; password: string; priv?: { cipher: Priv; password: string } }
}

const VERSION = 3
const USER_BASED = 3
const MAX_MESSAGE_BYTES = 65_507
const FLAG = { auth: 1, priv: 2, reportable: 4 } as const

/** What an answer has outside of its PDU. */
interface Header extends EngineTime {
  messageId: number
  flags: number
  engineId: Buffer
  mac: Buffer
  salt: Buffer
  /** A sequence, or the encrypted bytes of one. */
  scoped: { tag: number; contents: ByteReader }
}

interface Engine extends EngineTime {
  id: Buffer
}

/** Finds out the id and clock of the engine, without which no request of a user is answered (RFC 3414, section 4). */
export async function openUserSession(datagrams: Datagrams, user: User): Promise<Session> {
  const engine = await discover(datagrams)
  return {
    async get(oids) {
      const answer = await exchange(datagrams, user, engine, oids)
      if (reportOf(answer.pdu) !== REPORTS.notInTimeWindows) return pduOf(answer.pdu)
      // The report is authenticated: its clock is that of the engine. Once, because a clock that runs away is a fault.
      Object.assign(engine, { boots: answer.header.boots, time: answer.header.time })
      return pduOf((await exchange(datagrams, user, engine, oids)).pdu)
    },
  }
}

const nextId = (): number => randomBytes(4).readUInt32BE() & 0x7fffffff

async function discover({ request }: Datagrams): Promise<Engine> {
  const id = nextId()
  const message = encode(
    { id, flags: FLAG.reportable, engine: { id: Buffer.alloc(0), boots: 0, time: 0 }, name: '' },
    NO_MAC,
    NO_SALT,
    scopedPdu(Buffer.alloc(0), '', getRequest(id, [])),
  )
  return request(message, (answer) => {
    const header = decodeHeader(answer)
    if (header?.messageId !== id) return undefined
    if (header.engineId.length < 5 || header.engineId.length > 32) throw malformed()
    return { id: header.engineId, boots: header.boots, time: header.time }
  })
}

const NO_MAC = Buffer.alloc(0)
const NO_SALT = Buffer.alloc(0)

const scopedPdu = (engineId: Buffer, context: string, pdu: Buffer): Buffer =>
  element(SEQUENCE, octets(engineId), octets(context), pdu)

interface Outgoing {
  id: number
  flags: number
  engine: Engine
  name: string
}

const encode = ({ id, flags, engine, name }: Outgoing, mac: Buffer, salt: Buffer, scoped: Buffer): Buffer =>
  element(
    SEQUENCE,
    integer(VERSION),
    element(SEQUENCE, integer(id), integer(MAX_MESSAGE_BYTES), octets(Buffer.from([flags])), integer(USER_BASED)),
    octets(
      element(SEQUENCE, octets(engine.id), integer(engine.boots), integer(engine.time), octets(name), octets(mac), octets(salt)),
    ),
    scoped,
  )

/** RFC 3414, 2.2: of starts, and of seconds since the last one. */
const MAX_COUNT = 2_147_483_647

/** Undefined for a message of another version. Throws for a malformed one. */
export function decodeHeader(message: Buffer): Header | undefined {
  const fields = contentsIn(new ByteReader(message), SEQUENCE)
  if (numberIn(fields) !== VERSION) return undefined
  const common = contentsIn(fields, SEQUENCE)
  const messageId = numberIn(common)
  numberIn(common)
  const [flags = 0] = contentsIn(common, OCTETS).rest()
  const security = contentsIn(new ByteReader(contentsIn(fields, OCTETS).rest()), SEQUENCE)
  const engineId = contentsIn(security, OCTETS).rest()
  const [boots, time] = [numberIn(security), numberIn(security)]
  if (boots > MAX_COUNT || time > MAX_COUNT) throw malformed()
  contentsIn(security, OCTETS)
  const [mac, salt] = [contentsIn(security, OCTETS).rest(), contentsIn(security, OCTETS).rest()]
  return { messageId, flags, engineId, boots, time, mac, salt, scoped: elementIn(fields) }
}

interface Answer {
  header: Header
  pdu: Pdu
}

function exchange({ request }: Datagrams, user: User, engine: Engine, oids: readonly string[]): Promise<Answer> {
  const id = nextId()
  const keys = keysOf(user, engine.id)
  return request(encoded(user, keys, { id, engine, flags: flagsOf(user), name: user.name }, getRequest(id, oids)), (bytes) => {
    const header = decodeHeader(bytes)
    if (header?.messageId !== id) return undefined
    const isSigned = (header.flags & FLAG.auth) !== 0
    // What is not signed as it must be proves nothing and is passed over; only some reports are never signed.
    if (isSigned && !(keys.auth && isAuthentic(bytes, header, keys.auth))) return undefined
    const pdu = open(header, keys)
    if (pdu === undefined) return undefined
    const isReport = pdu.tag === PDU.report
    if (user.auth && !isSigned && !(isReport && UNSIGNED_REPORTS.has(reportOf(pdu) ?? ''))) return undefined
    if (!isReport && (pdu.tag !== PDU.response || pdu.requestId !== id)) return undefined
    // RFC 3412, section 7.2: an answer is as secret as its request was.
    if (!isReport && user.auth?.priv && (header.flags & FLAG.priv) === 0) return undefined
    return { header, pdu }
  })
}

const flagsOf = ({ auth }: User): number => FLAG.reportable | (auth ? FLAG.auth : 0) | (auth?.priv ? FLAG.priv : 0)

interface Keys {
  auth?: { hash: Auth; key: Buffer }
  priv?: { cipher: Priv; key: Buffer }
}

function keysOf({ auth }: User, engineId: Buffer): Keys {
  if (!auth) return {}
  const { hash, password, priv } = auth
  return {
    auth: { hash, key: authKey(hash, password, engineId) },
    ...(priv && { priv: { cipher: priv.cipher, key: privKey(hash, priv.cipher, priv.password, engineId) } }),
  }
}

/** Encrypted and signed, as far as the user has keys. */
function encoded(user: User, { auth, priv }: Keys, outgoing: Outgoing, pdu: Buffer): Buffer {
  const plain = scopedPdu(outgoing.engine.id, user.context, pdu)
  const salt = priv ? saltOf(priv.cipher, outgoing.engine) : NO_SALT
  const scoped = priv ? octets(encrypt(priv.cipher, priv.key, outgoing.engine, salt, plain)) : plain
  if (!auth) return encode(outgoing, NO_MAC, salt, scoped)
  const unsigned = encode(outgoing, Buffer.alloc(macBytesOf(auth.hash)), salt, scoped)
  return encode(outgoing, macOf(auth.hash, auth.key, unsigned), salt, scoped)
}

/** Of DES it begins with the starts of the engine (RFC 3414, section 8.1.1.1). */
function saltOf(cipher: Priv, { boots }: Engine): Buffer {
  const salt = randomBytes(8)
  if (cipher === 'des') salt.writeUInt32BE(boots)
  return salt
}

/** The MAC is that of the message with zeros in its place. */
function isAuthentic(message: Buffer, { mac }: Header, { hash, key }: NonNullable<Keys['auth']>): boolean {
  if (mac.length !== macBytesOf(hash)) return false
  // The MAC is a part of the message's own memory.
  const at = mac.byteOffset - message.byteOffset
  const blank = Buffer.from(message)
  blank.fill(0, at, at + mac.length)
  return timingSafeEqual(macOf(hash, key, blank), mac)
}

/** Undefined for what was encrypted with another key. */
function open(header: Header, { priv }: Keys): Pdu | undefined {
  const { tag, contents } = header.scoped
  if ((header.flags & FLAG.priv) === 0) {
    if (tag !== SEQUENCE) throw malformed()
    return pduIn(contents)
  }
  const plain = priv && tag === OCTETS ? decrypt(priv.cipher, priv.key, header, header.salt, contents.rest()) : undefined
  return plain && pduIn(contentsIn(new ByteReader(plain), SEQUENCE))
}

function pduIn(scoped: ByteReader): Pdu {
  contentsIn(scoped, OCTETS)
  contentsIn(scoped, OCTETS)
  return decodePdu(scoped)
}

/** Counters of RFC 3414, section 5, which a report names. */
const REPORTS = {
  unsupportedSecurityLevels: '1.3.6.1.6.3.15.1.1.1.0',
  notInTimeWindows: '1.3.6.1.6.3.15.1.1.2.0',
  unknownUserNames: '1.3.6.1.6.3.15.1.1.3.0',
  unknownEngineIds: '1.3.6.1.6.3.15.1.1.4.0',
  wrongDigests: '1.3.6.1.6.3.15.1.1.5.0',
  decryptionErrors: '1.3.6.1.6.3.15.1.1.6.0',
} as const
const UNSIGNED_REPORTS: ReadonlySet<string> = new Set(Object.values(REPORTS).filter((oid) => oid !== REPORTS.notInTimeWindows))

const reportOf = ({ tag, bindings }: Pdu): string | undefined => (tag === PDU.report ? (bindings[0]?.oid ?? '') : undefined)

/** The answer, or the fault that a report names. */
function pduOf(pdu: Pdu): Pdu {
  switch (reportOf(pdu)) {
    case undefined:
      return pdu
    case REPORTS.unknownUserNames:
      throw loginRefused('unknownUserName')
    case REPORTS.wrongDigests:
      throw loginRefused('wrongDigest')
    case REPORTS.decryptionErrors:
      throw loginRefused('decryptionError')
    case REPORTS.unsupportedSecurityLevels:
      throw protocolFault('the device does not support this security level for the user')
    case REPORTS.notInTimeWindows:
      throw protocolFault('the clock of the device changes with each request')
    default:
      throw protocolFault('the device answered with an error report')
  }
}
