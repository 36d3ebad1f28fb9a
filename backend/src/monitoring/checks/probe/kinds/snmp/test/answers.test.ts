import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CheckFault } from '../../conversation/check-fault.ts'
import { element, integer, octets, SEQUENCE } from '../../conversation/ber-writer.ts'
import type { Datagrams } from '../../conversation/datagram.ts'
import { authKey, encrypt, type EngineTime, macBytesOf, macOf, privKey } from '../keys.ts'
import { decodeOid, encodeOid, OBJECT_ID, PDU, type Pdu } from '../message.ts'
import { communitySession, type Session } from '../session.ts'
import { decodeHeader, openUserSession, type User } from '../user-session.ts'
import { valueOf } from '../value.ts'

/** An agent in memory, of which a test changes what it sends. */

const ENGINE = Buffer.from('80001f880400112233445566', 'hex')
const ADA: User = {
  name: 'ada',
  context: '',
  auth: { hash: 'sha256', password: 'auth-of-ada', priv: { cipher: 'aes128', password: 'priv-of-ada' } },
}
const NAME_OID = '1.3.6.1.2.1.1.5.0'
const SALT = Buffer.from('0123456789abcdef', 'hex')
const REPORT_OF = (counter: number) => `1.3.6.1.6.3.15.1.1.${counter}.0`

const pdu = (tag: number, requestId: number, oid: string, value: Buffer) =>
  element(tag, integer(requestId), integer(0), integer(0), element(SEQUENCE, element(SEQUENCE, encodeOid(oid), value)))

interface Message {
  id: number
  flags: number
  at: EngineTime
  pdu: Buffer
}

function messageOf({ id, flags, at, pdu: inner }: Message): Buffer {
  const [key, secret] = [authKey('sha256', 'auth-of-ada', ENGINE), privKey('sha256', 'aes128', 'priv-of-ada', ENGINE)]
  const plain = element(SEQUENCE, octets(ENGINE), octets(''), inner)
  const whole = (mac: Buffer) =>
    element(
      SEQUENCE,
      integer(3),
      element(SEQUENCE, integer(id), integer(65_507), octets(Buffer.from([flags])), integer(3)),
      octets(
        element(
          SEQUENCE,
          octets(ENGINE),
          integer(at.boots),
          integer(at.time),
          octets('ada'),
          octets(mac),
          octets((flags & 2) === 0 ? '' : SALT),
        ),
      ),
      (flags & 2) === 0 ? plain : octets(encrypt('aes128', secret, at, SALT, plain)),
    )
  return (flags & 1) === 0 ? whole(Buffer.alloc(0)) : whole(macOf('sha256', key, whole(Buffer.alloc(macBytesOf('sha256')))))
}

const discovery = (id: number, at: EngineTime) =>
  messageOf({ id, flags: 0, at, pdu: pdu(PDU.report, id, REPORT_OF(4), integer(1)) })

/** Answers each request with what `say` makes of it. */
function agent(say: (request: { id: number; boots: number; flags: number }) => Buffer[]) {
  const requests: number[] = []
  const datagrams: Datagrams = {
    request: (bytes, accept) =>
      new Promise((resolve, reject) => {
        try {
          const header = decodeHeader(bytes as Buffer)
          if (!header) throw new Error('no request')
          requests.push(header.boots)
          const ends = { localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1' }
          for (const answer of say({ id: header.messageId, boots: header.boots, flags: header.flags })) {
            const accepted = accept(answer, ends)
            if (accepted !== undefined) return resolve(accepted)
          }
          reject(new CheckFault('timeout', 'nothing was accepted'))
        } catch (error) {
          reject(error)
        }
      }),
  }
  return { datagrams, requests }
}
const NOW: EngineTime = { boots: 7, time: 1_000 }
const isDiscovery = (flags: number) => (flags & 1) === 0
const answer = (id: number, change: Partial<Message> = {}, requestId = id) =>
  messageOf({ id, flags: 3, at: NOW, pdu: pdu(PDU.response, requestId, NAME_OID, octets('device')), ...change })
function withLastByteChanged(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  return bytes
}
const read = async (say: (id: number, boots: number) => Buffer[], at = NOW) => {
  const { datagrams, requests } = agent(({ id, boots, flags }) => (isDiscovery(flags) ? [discovery(id, at)] : say(id, boots)))
  const session = await openUserSession(datagrams, ADA)
  const outcome = await session.get([NAME_OID]).catch((error: CheckFault) => error.fault.message)
  return { outcome, requests }
}
const DEVICE = expect.objectContaining({ bindings: [{ oid: NAME_OID, tag: 4, bytes: Buffer.from('device') }] })

test('an answer of the user is read', async () => {
  expect((await read((id) => [answer(id)])).outcome).toEqual(DEVICE)
})

describe('a device whose clock has changed', () => {
  const outside = (id: number, at: EngineTime) =>
    messageOf({ id, flags: 1, at, pdu: pdu(PDU.report, id, REPORT_OF(2), integer(1)) })

  test('is queried once more with its own clock', async () => {
    const { outcome, requests } = await read((id, boots) => (boots === 7 ? [answer(id)] : [outside(id, NOW)]), {
      boots: 3,
      time: 1,
    })
    expect(outcome).toEqual(DEVICE)
    expect(requests).toEqual([0, 3, 7])
  })

  test('is queried no third time', async () => {
    const { outcome, requests } = await read((id, boots) => [outside(id, { boots: boots + 1, time: 1 })])
    expect(outcome).toBe('the clock of the device changes with each request')
    expect(requests).toEqual([0, 7, 8])
  })
})

test.each<[string, (id: number) => Buffer]>([
  ['without a signature', (id) => answer(id, { flags: 2 })],
  ['without encryption', (id) => answer(id, { flags: 1 })],
  ['in plain text', (id) => answer(id, { flags: 0 })],
  ['to another message', (id) => answer(id + 1, {}, id)],
  ['to another request', (id) => answer(id, {}, id + 1)],
  ['that is a request', (id) => answer(id, { pdu: pdu(PDU.get, id, NAME_OID, octets('device')) })],
  ['with a changed byte', (id) => withLastByteChanged(answer(id))],
  [
    'of a clock report without a signature',
    (id) => messageOf({ id, flags: 0, at: NOW, pdu: pdu(PDU.report, id, REPORT_OF(2), integer(1)) }),
  ],
  ['of version 2c', (id) => element(SEQUENCE, integer(1), octets('public'), pdu(PDU.response, id, NAME_OID, octets('x')))],
])('an answer %s is passed over', async (_, false_) => {
  const { outcome } = await read((id) => [false_(id), answer(id)])
  expect(outcome).toEqual(DEVICE)
})

test.each([
  [1, 'the device does not support this security level for the user'],
  [3, 'the server refused the login of the configured user (unknownUserName)'],
  [5, 'the server refused the login of the configured user (wrongDigest)'],
  [6, 'the server refused the login of the configured user (decryptionError)'],
  [4, 'the device answered with an error report'],
])('report %i says why there is no answer', async (counter, message) => {
  const { outcome } = await read((id) => [
    messageOf({ id, flags: 0, at: NOW, pdu: pdu(PDU.report, id, REPORT_OF(counter), integer(1)) }),
  ])
  expect(outcome).toBe(message)
})

describe('10,000 answers with changed bytes', () => {
  /** Not of chance, so that a failure comes again. */
  function mutated(bytes: Buffer, seed: number): Buffer {
    const noise = createHash('sha256').update(`${seed}`).digest()
    const changed = Buffer.from(bytes)
    for (let at = 0; at <= seed % 4; at += 1) changed[noise.readUInt16BE(at * 3) % changed.length] = noise[at * 3 + 2] as number
    if (seed % 5 === 0) return changed.subarray(0, noise.readUInt16BE(20) % changed.length)
    return seed % 7 === 0 ? Buffer.concat([changed, noise]) : changed
  }

  /** How many of them took more time of the processor; collecting garbage may be one of them. */
  async function slowOnesOf(count: number, sessionOf: (change: (bytes: Buffer) => Buffer) => Promise<Session>): Promise<number> {
    let slow = 0
    for (let seed = 0; seed < count; seed += 1) {
      const before = process.threadCpuUsage()
      try {
        const session = await sessionOf((bytes) => mutated(bytes, seed))
        const { bindings }: Pdu = await session.get([NAME_OID])
        for (const binding of bindings)
          for (const as of ['number', 'text', 'timeticks', 'mac', undefined] as const) valueOf(binding, as)
      } catch (error) {
        if (!(error instanceof CheckFault)) throw error
      }
      const { user, system } = process.threadCpuUsage(before)
      if (user + system > 10_000) slow += 1
    }
    return slow
  }

  test.each(['discovery', 'answer'])('of a user (%s) are refused in 10 ms each', async (which) => {
    const slow = await slowOnesOf(3_000, (change) => {
      const { datagrams } = agent(({ id, flags }) => {
        const isFirst = isDiscovery(flags)
        const bytes = isFirst ? discovery(id, NOW) : answer(id)
        return [isFirst === (which === 'discovery') ? change(bytes) : bytes]
      })
      return openUserSession(datagrams, ADA)
    })
    expect(slow).toBeLessThan(5)
  })

  test('of a community are refused in 10 ms each', async () => {
    const value = element(SEQUENCE, encodeOid(NAME_OID), element(0x46, Buffer.from('00ffffffffffffffff', 'hex')))
    const slow = await slowOnesOf(4_000, async (change) => {
      const request: Datagrams['request'] = async (sent, accept) => {
        // The id of the request is behind the community.
        const id = (sent as Buffer).readUInt32BE(17)
        const list = element(SEQUENCE, value, value, value)
        const response = element(PDU.response, integer(id), integer(0), integer(0), list)
        const bytes = element(SEQUENCE, integer(1), octets('public'), response)
        const found = accept(change(bytes), { localAddress: '', localPort: 1, remoteAddress: '' })
        if (found === undefined) throw new CheckFault('timeout', 'nothing was accepted')
        return found
      }
      return communitySession({ request }, '2c', 'public')
    })
    expect(slow).toBeLessThan(5)
  })
})

test.each([
  [0x02, 'ff', undefined, -1],
  [0x02, '00ff', undefined, 255],
  [0x02, '', undefined, 0],
  [0x41, 'ffffffff', undefined, 4_294_967_295],
  [0x46, '00ffffffffffffffff', undefined, '18446744073709551615'],
  [0x43, '0f4240', 'timeticks', 10_000],
  [0x04, '001b2154aabb', undefined, '00:1b:21:54:aa:bb'],
  [0x04, '416263646566', 'mac', '41:62:63:64:65:66'],
  [0x04, '3432', 'number', 42],
  [0x04, '3432', undefined, '42'],
  [0x04, '6e6f', 'number', 'no'],
  [0x04, '0a41', 'text', 'A'],
  [0x40, 'c0000201', undefined, '192.0.2.1'],
  [0x44, '9f780440490fdb', undefined, 3.1415927410125732],
  [0x44, '9f7808', undefined, '9f:78:08'],
  [OBJECT_ID, '2b0601', undefined, '1.3.6.1'],
  [OBJECT_ID, '80', undefined, '80'],
  [0x7f, 'ab', undefined, 'ab'],
] as const)('a value of type %i with the bytes %s as %s is %j', (tag, hex, as, value) => {
  expect(valueOf({ oid: '', tag, bytes: Buffer.from(hex, 'hex') }, as)).toBe(value)
})

test.each(['0.0', '1.3.6.1.2.1.1.5.0', '2.999.4294967295', `1.3${'.1'.repeat(126)}`])('%s is the same after coding', (oid) => {
  expect(decodeOid(encodeOid(oid).subarray(2))).toBe(oid)
})

test('more starts or seconds than an agent can count are malformed, and no fault of the probe', () => {
  const header = (boots: number, time: number) => {
    const count = (value: number) =>
      element(2, Buffer.from([0, value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255)))
    const security = element(0x30, octets(Buffer.alloc(5, 1)), count(boots), count(time), octets(''), octets(''), octets(''))
    const common = element(0x30, integer(1), integer(1_400), octets(Buffer.from([0])), integer(3))
    return decodeHeader(element(0x30, integer(3), common, octets(security), element(0x30)))
  }
  expect(header(2 ** 31 - 1, 7)).toMatchObject({ boots: 2 ** 31 - 1, time: 7 })
  for (const [boots, time] of [
    [2 ** 31, 7],
    [7, 2 ** 32 - 1],
  ] as const)
    expect(() => header(boots, time)).toThrow(/malformed/)
})
