import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { KEY_PREFIX_LENGTH, SECRET_PREFIX, type SecretKind } from '@vedette/shared'
import { randomBytes } from '../../platform/crypto/random.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
/** 32 bytes in base62. */
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6
const TOKEN = new RegExp(
  `^(${Object.values(SECRET_PREFIX).join('|')})([0-9A-Za-z]{${BODY_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

export interface NewSecret {
  /** Shown once, never stored. */
  secret: string
  hash: Buffer
  /** The first characters, which a record may show. */
  prefix: string
}

/** A new API key, server token or probe token: a prefix, 32 random bytes in base62, and a checksum that detects typos without a look-up. */
export function createSecretToken(kind: SecretKind): NewSecret {
  const body = toBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), BODY_LENGTH)
  const secret = withChecksum(SECRET_PREFIX[kind] + body)
  return { secret, hash: hashSecret(secret), prefix: secret.slice(0, KEY_PREFIX_LENGTH) }
}

/** Appends the checksum to a prefix and 43 characters. */
export function withChecksum(text: string): string {
  return text + checksumOf(text)
}

/** Whether the text has the form and the checksum of a secret. */
export function isSecretToken(text: string): boolean {
  const match = TOKEN.exec(text)
  return match !== null && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === match[3]
}

/** The stored form of a secret. Random bytes need no slow hash, and a look-up by the hash leaks no timing. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** The same hash as a text with one character per byte, as the key of the token cache. */
export function nameOfSecret(secret: string): string {
  return hash('sha256', secret, 'latin1')
}

function checksumOf(text: string): string {
  return toBase62(BigInt(crc32(text)), CHECKSUM_LENGTH)
}

function toBase62(value: bigint, length: number): string {
  const digits: string[] = []
  for (let rest = value; rest > 0n; rest /= 62n) digits.push(ALPHABET[Number(rest % 62n)] as string)
  return digits.reverse().join('').padStart(length, '0')
}
