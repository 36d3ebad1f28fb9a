import { contentsIn, elementIn, malformed, numberOf } from '../conversation/ber-reader.ts'
import { element, integer, INTEGER, octets, OCTETS, SEQUENCE } from '../conversation/ber-writer.ts'
import { ByteReader } from '../conversation/byte-reader.ts'

/** Requests and answers of SNMP, versions 1 and 2c (RFC 1157, RFC 3416), and the parts that version 3 has too. */

export const PDU = { get: 0xa0, response: 0xa2, report: 0xa8 } as const
export const OBJECT_ID = 0x06
const NULL = Buffer.from([0x05, 0])
/** The answer to a request that has no more bindings than ours, and a limit of the work. */
const MAX_BINDINGS = 100
const MAX_OID_PARTS = 128

/** A value with its OID. */
export interface Binding {
  oid: string
  tag: number
  bytes: Buffer
}

export interface Pdu {
  tag: number
  requestId: number
  errorStatus: number
  /** From 1 on; 0 without one. */
  errorIndex: number
  bindings: readonly Binding[]
}

/** RFC 3416, section 3, by number. */
export const ERROR_STATUS = { tooBig: 1, noSuchName: 2 } as const
const ERRORS = ['noError', 'tooBig', 'noSuchName', 'badValue', 'readOnly', 'genErr', 'noAccess']
export const errorName = (status: number): string =>
  status === 16 ? 'authorizationError' : (ERRORS[status] ?? `error ${status}`)

/** The request for these values. */
export const getRequest = (requestId: number, oids: readonly string[]): Buffer =>
  element(
    PDU.get,
    integer(requestId),
    integer(0),
    integer(0),
    element(SEQUENCE, ...oids.map((oid) => element(SEQUENCE, encodeOid(oid), NULL))),
  )

/** Bytes that a value takes in a request. */
export const sizeOf = (oid: string): number => element(SEQUENCE, encodeOid(oid), NULL).length

export function encodeOid(oid: string): Buffer {
  const [first = 0, second = 0, ...others] = oid.split('.').map(Number)
  return element(OBJECT_ID, Buffer.from([first * 40 + second, ...others].flatMap(base128)))
}

function base128(value: number): number[] {
  const bytes = [value % 128]
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift((left % 128) | 0x80)
  return bytes
}

/** Throws for one that is malformed. */
export function decodeOid(bytes: Buffer): string {
  const parts: number[] = []
  let value = 0
  for (const [index, byte] of bytes.entries()) {
    value = value * 128 + (byte & 0x7f)
    if (value >= 2 ** 33 || parts.length >= MAX_OID_PARTS) throw malformed()
    if (byte >= 0x80) {
      if (index === bytes.length - 1) throw malformed()
      continue
    }
    if (parts.length === 0) {
      const first = Math.min(2, Math.floor(value / 40))
      parts.push(first, value - first * 40)
    } else parts.push(value)
    value = 0
  }
  if (parts.length === 0) throw malformed()
  return parts.join('.')
}

/** The community names who asks, in plain text. */
export const communityMessage = (version: number, community: string, pdu: Buffer): Buffer =>
  element(SEQUENCE, integer(version), octets(community), pdu)

/** Undefined for a message of another version. Throws for a malformed one. */
export function decodeCommunityMessage(message: Buffer, version: number): Pdu | undefined {
  const fields = contentsIn(new ByteReader(message), SEQUENCE)
  if (numberIn(fields) !== version) return undefined
  contentsIn(fields, OCTETS)
  return decodePdu(fields)
}

export function decodePdu(fields: ByteReader): Pdu {
  const { tag, contents } = elementIn(fields)
  const [requestId, errorStatus, errorIndex] = [numberIn(contents), numberIn(contents), numberIn(contents)]
  const list = contentsIn(contents, SEQUENCE)
  const bindings: Binding[] = []
  while (list.left > 0) {
    if (bindings.length >= MAX_BINDINGS) throw malformed()
    const binding = contentsIn(list, SEQUENCE)
    const oid = decodeOid(contentsIn(binding, OBJECT_ID).rest())
    const value = elementIn(binding)
    bindings.push({ oid, tag: value.tag, bytes: value.contents.rest() })
  }
  return { tag, requestId, errorStatus, errorIndex, bindings }
}

/** A whole number that is not negative. */
export function numberIn(fields: ByteReader): number {
  const value = numberOf({ tag: INTEGER, contents: contentsIn(fields, INTEGER) })
  if (value === undefined) throw malformed()
  return value
}
