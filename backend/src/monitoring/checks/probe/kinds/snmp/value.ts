import type { SnmpOid } from '@vedette/shared'
import { readable } from '../conversation/readable.ts'
import { type Binding, decodeOid, OBJECT_ID } from './message.ts'

const INTEGER = 0x02
const OCTETS = 0x04
const IP_ADDRESS = 0x40
/** Counter32, Gauge32, TimeTicks and Counter64 (RFC 2578, section 7.1). */
const UNSIGNED: ReadonlySet<number> = new Set([0x41, 0x42, 0x43, 0x46])
/** Of the agents of Net-SNMP: a floating-point number in an opaque value. */
const OPAQUE = 0x44
const FLOAT = 0x9f7804
const DOUBLE = 0x9f7908

/** Exceptions of RFC 3416: there is no value. */
const ABSENT: Readonly<Record<number, string>> = {
  0x80: 'noSuchObject',
  0x81: 'noSuchInstance',
  0x82: 'endOfMibView',
  0x05: 'null',
}
export const absenceOf = ({ tag }: Pick<Binding, 'tag'>): string | undefined => ABSENT[tag]

/** Larger numbers stay texts, which are exact. */
const MAX_NUMBER = 10n ** 15n
const MAX_TEXT_LENGTH = 300
const DECIMAL = /^\s*[-+]?\d{1,15}(?:\.\d{1,9})?\s*$/

/** A value as a fact, in the form that a monitor wants it in. Pure; total for any bytes. */
export function valueOf(binding: Binding, as: SnmpOid['as']): number | string {
  const { tag, bytes } = binding
  if (as === 'mac') return hexOf(bytes)
  const own = ownValueOf(binding)
  if (as === 'timeticks' && typeof own === 'number') return own / 100
  if (as === 'text') return tag === OCTETS ? readable(bytes, MAX_TEXT_LENGTH) : String(own)
  return as === 'number' && typeof own === 'string' && DECIMAL.test(own) ? Number(own) : own
}

function ownValueOf({ tag, bytes }: Binding): number | string {
  if (tag === INTEGER || UNSIGNED.has(tag)) return exact(integerOf(bytes, tag === INTEGER))
  if (tag === OCTETS) return isText(bytes) ? readable(bytes, MAX_TEXT_LENGTH) : hexOf(bytes)
  if (tag === OBJECT_ID) return oidOf(bytes)
  if (tag === IP_ADDRESS && bytes.length === 4) return [...bytes].join('.')
  if (tag === OPAQUE && bytes.length >= 7) {
    const form = bytes.readUIntBE(0, 3)
    if (form === FLOAT) return finite(bytes.readFloatBE(3))
    if (form === DOUBLE && bytes.length >= 11) return finite(bytes.readDoubleBE(3))
  }
  return hexOf(bytes)
}

const finite = (value: number): number | string => (Number.isFinite(value) ? value : String(value))

/** At most 64 bits and a sign. */
function integerOf(bytes: Buffer, isSigned: boolean): bigint {
  const used = bytes.subarray(0, 9)
  const value = used.length === 0 ? 0n : BigInt(`0x${used.toString('hex')}`)
  return isSigned ? BigInt.asIntN(used.length * 8, value) : value
}

const exact = (value: bigint): number | string => (value <= MAX_NUMBER && value >= -MAX_NUMBER ? Number(value) : value.toString())

function oidOf(bytes: Buffer): string {
  try {
    return readable(decodeOid(bytes), MAX_TEXT_LENGTH)
  } catch {
    return hexOf(bytes)
  }
}

/** Strings of SNMP have no encoding: a MAC or a date is none that can be read. */
function isText(bytes: Buffer): boolean {
  const text = bytes.toString()
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return !/[\0-\x08\x0e-\x1f\x7f\ufffd]/.test(text)
}

const hexOf = (bytes: Buffer): string => (bytes.subarray(0, 100).toString('hex').match(/../g) ?? []).join(':')
