import { constants, createHash, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto'
import { protocolFault } from '../conversation/check-fault.ts'
import { signEd25519 } from './ed25519.ts'

const hash = (algorithm: 'sha1' | 'sha256', ...parts: Uint8Array[]): Buffer => {
  const digest = createHash(algorithm)
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** The second one is repeated. */
const xor = (bytes: Buffer, other: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (other[index % other.length] as number)))

export const NATIVE = 'mysql_native_password'
export const CACHING = 'caching_sha2_password'
const CLEARTEXT = 'mysql_clear_password'
/** Of MariaDB. */
const ED25519 = 'client_ed25519'

export const nonceBytesOf = (method: string): number => (method === ED25519 ? 32 : 20)

/** What proves the password by a method of login and the nonce of the server. */
export function proofOf(method: string, password: string, nonce: Buffer, isSecure: boolean): Buffer {
  const bytes = Buffer.from(password)
  if (method === CLEARTEXT) {
    if (!isSecure) throw protocolFault('the server asks for the password in plain text, which needs TLS')
    return withNul(bytes)
  }
  if (method === ED25519) return signEd25519(bytes, nonce)
  if (bytes.length === 0) return bytes
  if (method === NATIVE) {
    const once = hash('sha1', bytes)
    return xor(once, hash('sha1', nonce, hash('sha1', once)))
  }
  if (method === CACHING) {
    const once = hash('sha256', bytes)
    return xor(once, hash('sha256', hash('sha256', once), nonce))
  }
  throw protocolFault(`the server asks for a login that the probe does not have (${method})`)
}

export const withNul = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(1)])

/** The whole password for a server that does not have it in its cache, for its RSA key (PEM). */
export function encryptPassword(password: string, nonce: Buffer, pem: Buffer): Buffer {
  const bytes = xor(withNul(Buffer.from(password)), nonce)
  return publicEncrypt({ key: readKey(pem), padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes)
}

function readKey(pem: Buffer): KeyObject {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // Refused below.
  }
  throw protocolFault('the server sent an invalid public key')
}

const ON_THIS_MACHINE = /^(::ffff:)?127\.|^::1$/

/** Without TLS anyone who answers in place of the server sends a key of their own, and reads the password. Throws over a network. */
export function requireOwnMachine(address: string | undefined): void {
  if (!ON_THIS_MACHINE.test(address ?? ''))
    throw protocolFault('the server asks for the whole password, which needs TLS: set tls to required')
}
