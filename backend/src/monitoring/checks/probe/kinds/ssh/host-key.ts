import { createHash, createPublicKey, verify } from 'node:crypto'
import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Exchanged } from './key-exchange.ts'
import { readString } from './packets.ts'

const RSA = ['rsa-sha2-512', 'rsa-sha2-256']
const ECDSA = ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521']

/** Algorithms by the option, the preferred one first. Certificates are not requested: the key itself is of interest. */
export const HOST_KEY_ALGORITHMS = {
  any: ['ssh-ed25519', ...ECDSA, ...RSA],
  ed25519: ['ssh-ed25519'],
  ecdsa: ECDSA,
  rsa: RSA,
} as const satisfies Record<string, readonly string[]>

/** As `ssh-keygen -l` prints it. */
export const fingerprintOf = (hostKey: Buffer): string =>
  `SHA256:${createHash('sha256').update(hostKey).digest('base64').replace(/=+$/, '')}`

export const keyTypeOf = (hostKey: Buffer): string => readString(new ByteReader(hostKey)).toString('latin1')

/** A hostile server could have a second of work done for a key of a million bits. */
const MAX_RSA_BYTES = 1_024
const MAX_EXPONENT_BYTES = 4

/** Of RFC 7517. */
type Jwk = Readonly<Partial<Record<'kty' | 'crv' | 'x' | 'y' | 'e' | 'n', string>>>

const base64url = (bytes: Buffer): string => bytes.toString('base64url')

interface Curve {
  crv: string
  hash: string
}
const CURVES: Readonly<Record<string, Curve>> = {
  'ecdsa-sha2-nistp256': { crv: 'P-256', hash: 'sha256' },
  'ecdsa-sha2-nistp384': { crv: 'P-384', hash: 'sha384' },
  'ecdsa-sha2-nistp521': { crv: 'P-521', hash: 'sha512' },
}

/** The key as JWK, which has the same numbers. */
function jwkOf(fields: ByteReader, algorithm: string): Jwk {
  const curve = CURVES[algorithm]
  const type = readString(fields).toString('latin1')
  if (type !== (algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm)) throw protocolFault(OTHER_KEY)
  if (curve) {
    readString(fields)
    const point = readString(fields)
    // Not compressed: 4, then both coordinates.
    const size = (point.length - 1) / 2
    return { kty: 'EC', crv: curve.crv, x: base64url(point.subarray(1, 1 + size)), y: base64url(point.subarray(1 + size)) }
  }
  if (type === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: base64url(readString(fields)) }
  const [exponent, modulus] = [readString(fields), readString(fields)]
  if (exponent.length > MAX_EXPONENT_BYTES || modulus.length > MAX_RSA_BYTES + 1)
    throw protocolFault('the host key of the server is too large')
  return { kty: 'RSA', e: base64url(exponent), n: base64url(modulus) }
}

const OTHER_KEY = 'the server sent a host key of another type than was agreed'

/** The side that presents a host key must have signed the exchange with it. */
export function verifyHostKey({ hostKey, signature, hash }: Exchanged, algorithm: string): void {
  const fields = new ByteReader(signature)
  const name = readString(fields).toString('latin1')
  const blob = readString(fields)
  if (name !== algorithm) throw protocolFault(OTHER_KEY)
  const jwk = jwkOf(new ByteReader(hostKey), algorithm)
  if (!isValid(algorithm, jwk, hash, blob)) throw protocolFault('the server could not prove that the host key is its own')
}

function isValid(algorithm: string, jwk: Jwk, hash: Buffer, blob: Buffer): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const curve = CURVES[algorithm]
    if (curve) {
      const numbers = new ByteReader(blob)
      const size = Buffer.from(jwk.x as string, 'base64url').length
      const both = Buffer.concat([fixed(readString(numbers), size), fixed(readString(numbers), size)])
      return verify(curve.hash, hash, { key, dsaEncoding: 'ieee-p1363' }, both)
    }
    return verify(algorithm === 'ssh-ed25519' ? null : algorithm.replace('rsa-sha2-', 'sha'), hash, key, blob)
  } catch {
    return false
  }
}

/** An `mpint` with so many bytes. */
function fixed(number: Buffer, size: number): Buffer {
  const digits = number.subarray(Math.max(0, number.length - size))
  return Buffer.concat([Buffer.alloc(size - digits.length), digits])
}
