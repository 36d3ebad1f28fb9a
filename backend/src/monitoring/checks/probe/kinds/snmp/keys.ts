import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'

/** Keys, authentication and encryption of users: RFC 3414, RFC 3826, RFC 7860, and two drafts for AES with 256 bits. */

/** By the option `auth`: the hash, and the bytes of a MAC. */
const HASHES = {
  md5: { name: 'md5', macBytes: 12 },
  sha: { name: 'sha1', macBytes: 12 },
  sha224: { name: 'sha224', macBytes: 16 },
  sha256: { name: 'sha256', macBytes: 24 },
  sha384: { name: 'sha384', macBytes: 32 },
  sha512: { name: 'sha512', macBytes: 48 },
} as const
export type Auth = keyof typeof HASHES
export type Priv = 'des' | 'aes128' | 'aes256' | 'aes256c'

export const macBytesOf = (auth: Auth): number => HASHES[auth].macBytes

const hash = (auth: Auth, ...parts: readonly Uint8Array[]): Buffer => {
  const hashing = createHash(HASHES[auth].name)
  for (const part of parts) hashing.update(part)
  return hashing.digest()
}

/** Two hashes of 1 MiB take milliseconds, and each check needs them. */
const MAX_KEPT = 1_000
const kept = new Map<string, Buffer>()

/** RFC 3414, A.2: the hash of 1 MiB of the repeated password. A device that changes its id makes us do no more of them, except for aes256c. */
function passwordKey(auth: Auth, password: Uint8Array): Buffer {
  const name = `${auth} ${createHash('sha256').update(password).digest('base64')}`
  const found = kept.get(name)
  if (found) return found
  if (kept.size >= MAX_KEPT) kept.clear()
  const key = hash(auth, Buffer.alloc(1_048_576).fill(password))
  kept.set(name, key)
  return key
}

/** For one engine alone. */
function localizedKey(auth: Auth, password: Uint8Array, engineId: Uint8Array): Buffer {
  const key = passwordKey(auth, password)
  return hash(auth, key, engineId, key)
}

export const authKey = (auth: Auth, password: string, engineId: Uint8Array): Buffer =>
  localizedKey(auth, Buffer.from(password), engineId)

const AES_256_BYTES = 32

/** A key of an encryption; the hash may be shorter than the key. */
export function privKey(auth: Auth, priv: Priv, password: string, engineId: Uint8Array): Buffer {
  let key = localizedKey(auth, Buffer.from(password), engineId)
  const needed = priv === 'aes256' || priv === 'aes256c' ? AES_256_BYTES : 16
  while (key.length < needed)
    key = Buffer.concat([
      key,
      // draft-reeder-snmpv3-usm-3desede, section 2.1, and draft-blumenthal-aes-usm-04, section 3.1.2.1.
      priv === 'aes256c' ? localizedKey(auth, key, engineId) : hash(auth, key),
    ])
  return key
}

export const macOf = (auth: Auth, key: Buffer, message: Uint8Array): Buffer =>
  createHmac(HASHES[auth].name, key).update(message).digest().subarray(0, HASHES[auth].macBytes)

/** The clock of an engine, as its messages have it. */
export interface EngineTime {
  boots: number
  time: number
}

interface Cipher {
  algorithm: string
  key: Buffer
  iv: Buffer
}

const AES: Readonly<Record<Exclude<Priv, 'des'>, [algorithm: string, keyBytes: number]>> = {
  aes128: ['aes-128-cfb', 16],
  aes256: ['aes-256-cfb', AES_256_BYTES],
  aes256c: ['aes-256-cfb', AES_256_BYTES],
}

function cipherOf(priv: Priv, key: Buffer, { boots, time }: EngineTime, salt: Buffer): Cipher {
  if (priv === 'des') {
    const des = key.subarray(0, 8)
    const iv = Buffer.from(key.subarray(8, 16).map((byte, index) => byte ^ (salt[index] ?? 0)))
    // Three times the same key is DES, which OpenSSL alone no longer has.
    return { algorithm: 'des-ede3-cbc', key: Buffer.concat([des, des, des]), iv }
  }
  const iv = Buffer.alloc(16)
  iv.writeUInt32BE(boots, 0)
  iv.writeUInt32BE(time, 4)
  salt.copy(iv, 8, 0, 8)
  const [algorithm, keyBytes] = AES[priv]
  return { algorithm, key: key.subarray(0, keyBytes), iv }
}

/** `salt` has 8 bytes and differs in each message. */
export function encrypt(priv: Priv, key: Buffer, at: EngineTime, salt: Buffer, plain: Buffer): Buffer {
  const { algorithm, key: used, iv } = cipherOf(priv, key, at, salt)
  const cipher = createCipheriv(algorithm, used, iv).setAutoPadding(false)
  const padding = priv === 'des' ? Buffer.alloc((8 - (plain.length % 8)) % 8) : Buffer.alloc(0)
  return Buffer.concat([cipher.update(plain), cipher.update(padding), cipher.final()])
}

/** Undefined for bytes that cannot be encrypted by this cipher. Padding of DES stays behind the message. */
export function decrypt(priv: Priv, key: Buffer, at: EngineTime, salt: Buffer, secret: Buffer): Buffer | undefined {
  if (salt.length !== 8 || (priv === 'des' && secret.length % 8 !== 0)) return undefined
  const { algorithm, key: used, iv } = cipherOf(priv, key, at, salt)
  const cipher = createDecipheriv(algorithm, used, iv).setAutoPadding(false)
  return Buffer.concat([cipher.update(secret), cipher.final()])
}
