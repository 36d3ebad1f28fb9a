import { protocolFault } from '../conversation/check-fault.ts'
import { readable } from '../conversation/readable.ts'

/** The packet of RFC 5905, section 7.3, without extensions. */

const LENGTH = 48
/** No warning, version 4, client. */
const CLIENT = 0x23
const SERVER_MODE = 4
const TRANSMIT_AT = 40

/** What else a client sends is of no use to a server (RFC 8633, 3.5 and draft-ietf-ntp-data-minimization). */
export function encodeRequest(cookie: Buffer): Buffer {
  const packet = Buffer.alloc(LENGTH)
  packet[0] = CLIENT
  cookie.copy(packet, TRANSMIT_AT)
  return packet
}

/** Seconds since 1900, modulo 2^32, and a fraction. */
export interface Timestamp {
  seconds: number
  ms: number
  isZero: boolean
}

export interface NtpReply {
  leap: 'none' | 'insert' | 'delete' | 'unknown'
  stratum: number
  rootDelayMs: number
  rootDispersionMs: number
  /** The address of the server's server, or the code of its clock; of a refusal its code, as RATE. */
  reference: string
  received: Timestamp
  transmitted: Timestamp
}

const LEAPS = ['none', 'insert', 'delete', 'unknown'] as const

/** Undefined for a packet that answers another request. */
export function decodeReply(bytes: Buffer, cookie: Buffer): NtpReply | undefined {
  if (bytes.length < LENGTH || (bytes.readUInt8() & 7) !== SERVER_MODE) throw protocolFault('the target does not speak NTP')
  if (!bytes.subarray(24, 32).equals(cookie)) return undefined
  const stratum = bytes.readUInt8(1)
  return {
    leap: LEAPS[bytes.readUInt8() >> 6] as NtpReply['leap'],
    stratum,
    rootDelayMs: bytes.readInt32BE(4) / 65.536,
    rootDispersionMs: bytes.readUInt32BE(8) / 65.536,
    reference: referenceOf(bytes.subarray(12, 16), stratum),
    received: timestampAt(bytes, 32),
    transmitted: timestampAt(bytes, TRANSMIT_AT),
  }
}

/** Letters of a refusal and of a clock; the address of a server, with IPv6 a hash that looks like one (RFC 5905, 7.3). */
function referenceOf(bytes: Buffer, stratum: number): string {
  if (stratum <= 1) return readable(bytes.toString('latin1').replace(/\0+$/, ''), 4)
  return [...bytes].join('.')
}

const timestampAt = (bytes: Buffer, at: number): Timestamp => {
  const [seconds, fraction] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
  return { seconds, ms: (fraction / 2 ** 32) * 1_000, isZero: seconds === 0 && fraction === 0 }
}

/** Seconds from 1900 to 1970. */
const UNIX_EPOCH = 2_208_988_800

/** How far a timestamp is ahead of a time of ours, within 68 years: eras are not in a packet. */
function aheadMs({ seconds, ms }: Timestamp, unixMs: number): number {
  const ours = Math.floor(unixMs / 1_000)
  const difference = (seconds - ours - UNIX_EPOCH) | 0
  return difference * 1_000 + ms - (unixMs - ours * 1_000)
}

/** How far the clock of the server is ahead of ours (section 8): the way there and back are taken as equally long. */
export const offsetMs = ({ received, transmitted }: NtpReply, sentMs: number, receivedMs: number): number =>
  (aheadMs(received, sentMs) + aheadMs(transmitted, receivedMs)) / 2
