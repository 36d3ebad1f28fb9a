import { DAY_MS } from '@vedette/shared'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A certificate with its key, PEM, and what is needed to sign others by it. */
export interface TestCertificate {
  cert: string
  key: string
  name: string
  signingKey: KeyObject
}

export interface CertificateOptions {
  name?: string
  /** DNS names and IPv4 addresses; none: no subjectAltName at all. */
  names?: readonly string[]
  /** Signs itself without one. */
  issuer?: TestCertificate
  isAuthority?: boolean
  notBefore?: Date
  notAfter?: Date
}

/** Makes an X.509 certificate (v3, ECDSA on P-256) by hand: openssl is not on every machine, and this is all of it that tests need. */
export function makeCertificate(options: CertificateOptions = {}): TestCertificate {
  const { name = 'localhost', names = [], issuer, isAuthority = false } = options
  const { notBefore = new Date(Date.now() - DAY_MS), notAfter = new Date(Date.now() + 30 * DAY_MS) } = options
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = issuer?.signingKey ?? privateKey
  const extensions = [
    ...(isAuthority ? [extension('2.5.29.19', sequence(TRUE), true)] : []),
    ...(names.length > 0 ? [extension('2.5.29.17', sequence(...names.map(generalName)))] : []),
  ]
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ECDSA_SHA256,
    distinguishedName(issuer?.name ?? name),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tagged(0xa3, sequence(...extensions))] : []),
  )
  const signature = sign('sha256', toBeSigned, signingKey)
  const der = sequence(toBeSigned, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }), name, signingKey: privateKey }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts))
const integer = (bytes: Buffer) => tagged(0x02, bytes)
const TRUE = tagged(0x01, Buffer.from([0xff]))

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const base128 = (value: number): number[] => {
    const bytes = [value & 0x7f]
    for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80)
    return bytes
  }
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

const distinguishedName = (common: string) => sequence(tagged(0x31, sequence(oid('2.5.4.3'), tagged(0x0c, Buffer.from(common)))))

/** UTCTime: two digits of the year. */
const time = (date: Date) => tagged(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

const extension = (id: string, value: Buffer, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [TRUE] : []), tagged(0x04, value))

const generalName = (name: string) =>
  isIPv4(name) ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name))
