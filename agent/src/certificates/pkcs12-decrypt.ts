import { createDecipheriv, hash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { DER, type DerElement, derElementsIn, derIntegerOf, oidOf } from '@vedette/shared/der'
import { Unreadable } from './unreadable.ts'

const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'
const HMAC_SHA1 = '1.2.840.113549.2.7'
const DIGESTS: Readonly<Record<string, string>> = {
  [HMAC_SHA1]: 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}
interface Cipher {
  name: string
  keyBytes: number
  ivBytes: number
}
const TRIPLE_DES: Cipher = { name: 'des-ede3-cbc', keyBytes: 24, ivBytes: 8 }
const CIPHERS: Readonly<Record<string, Cipher>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16, ivBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24, ivBytes: 16 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32, ivBytes: 16 },
  '1.2.840.113549.3.7': TRIPLE_DES,
}
/** Of PKCS#12 itself, with SHA-1 and three keys. */
const OLD_TRIPLE_DES = '1.2.840.113549.1.12.1.3'
const OLD_RC2 = new Set(['1.2.840.113549.1.12.1.5', '1.2.840.113549.1.12.1.6'])
/** A hostile file must not keep a core busy: a million takes half a second in another thread. That of PKCS#12 is computed here. */
const [MAX_ITERATIONS, MAX_OLD_ITERATIONS] = [1_000_000, 100_000]

/** What is encrypted, and where its algorithm is described. */
export interface Encrypted {
  bytes: Buffer
  algorithm: DerElement
  data: Buffer
}

const unsupported = (what: string) => new Unreadable(`its encryption (${what}) is not supported`)

/** Throws Unreadable: the password is missing or wrong, or the encryption is unknown. `isPlain` says whether it is what it should be. */
export async function decrypt(
  encrypted: Encrypted,
  password: string | undefined,
  isPlain: (bytes: Buffer) => boolean,
): Promise<Buffer> {
  const { bytes, algorithm, data } = encrypted
  const [type, parameters] = childrenOf(bytes, algorithm)
  const oid = oidOf(bytes, type) ?? 'unknown'
  if (OLD_RC2.has(oid)) throw unsupported('RC2')
  if (oid !== PBES2 && oid !== OLD_TRIPLE_DES) throw unsupported(oid)
  const keys = oid === PBES2 ? await modernKeys(bytes, parameters, password ?? '') : oldKeys(bytes, parameters, password)
  for (const { cipher, key, iv } of keys) {
    const plain = tryDecrypt(cipher, key, iv, data)
    if (plain && isPlain(plain)) return plain
  }
  throw new Unreadable(password === undefined ? 'it needs a password (password_file)' : 'the password of password_file is wrong')
}

function tryDecrypt({ name }: Cipher, key: Buffer, iv: Buffer, data: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(name, key, iv)
    return Buffer.concat([decipher.update(data), decipher.final()])
  } catch {
    // The padding is wrong, which is how a wrong password shows.
    return undefined
  }
}

interface Keys {
  cipher: Cipher
  key: Buffer
  iv: Buffer
}

/** PBES2 with PBKDF2 (RFC 8018). */
async function modernKeys(bytes: Buffer, parameters: DerElement | undefined, password: string): Promise<Keys[]> {
  const [derivation, encryption] = childrenOf(bytes, parameters)
  const [method, settings] = childrenOf(bytes, derivation)
  if (oidOf(bytes, method) !== PBKDF2) throw unsupported(oidOf(bytes, method) ?? 'unknown')
  const [salt, count, ...optional] = childrenOf(bytes, settings)
  const iterations = derIntegerOf(bytes, count)
  const random = optional.find(({ tag }) => tag === DER.sequence)
  const digest = DIGESTS[random ? (oidOf(bytes, childrenOf(bytes, random)[0]) ?? '') : HMAC_SHA1]
  const [name, vector] = childrenOf(bytes, encryption)
  const cipher = CIPHERS[oidOf(bytes, name) ?? '']
  if (!cipher || digest === undefined) throw unsupported('a newer one')
  if (salt?.tag !== DER.octetString || vector?.tag !== DER.octetString || vector.to - vector.from !== cipher.ivBytes)
    throw new Unreadable('it is damaged')
  refuseBeyond(iterations, MAX_ITERATIONS)
  const key = await promisify(pbkdf2)(password, bytes.subarray(salt.from, salt.to), iterations, cipher.keyBytes, digest)
  return [{ cipher, key, iv: bytes.subarray(vector.from, vector.to) }]
}

/** By the derivation of RFC 7292, appendix B. Programs differ in what no password is. */
function oldKeys(bytes: Buffer, parameters: DerElement | undefined, password: string | undefined): Keys[] {
  const [salt, count] = childrenOf(bytes, parameters)
  const iterations = derIntegerOf(bytes, count)
  if (salt?.tag !== DER.octetString) throw new Unreadable('it is damaged')
  refuseBeyond(iterations, MAX_OLD_ITERATIONS)
  const given = bytes.subarray(salt.from, salt.to)
  const passwords = [Buffer.from(`${password ?? ''}\0`, 'utf16le').swap16(), ...(password ? [] : [Buffer.alloc(0)])]
  return passwords.map((text) => ({
    cipher: TRIPLE_DES,
    key: deriveOld(1, text, given, iterations, TRIPLE_DES.keyBytes),
    iv: deriveOld(2, text, given, iterations, TRIPLE_DES.ivBytes),
  }))
}

function refuseBeyond(iterations: number | undefined, most: number): asserts iterations is number {
  if (iterations === undefined || iterations < 1) throw new Unreadable('it is damaged')
  if (iterations > most) throw new Unreadable(`its password is derived in more than ${most.toLocaleString('en')} steps`)
}

const BLOCK = 64

/** `purpose`: 1 for a key, 2 for a vector. */
function deriveOld(purpose: number, password: Buffer, salt: Buffer, iterations: number, length: number): Buffer {
  const input = Buffer.concat([repeated(salt), repeated(password)])
  const parts: Buffer[] = []
  for (let have = 0; have < length; have += 20) {
    let digest = hash('sha1', Buffer.concat([Buffer.alloc(BLOCK, purpose), input]), 'buffer')
    for (let round = 1; round < iterations; round++) digest = hash('sha1', digest, 'buffer')
    parts.push(digest)
    const added = Buffer.alloc(BLOCK, digest)
    for (let at = 0; at < input.length; at += BLOCK) addOne(input.subarray(at, at + BLOCK), added)
  }
  return Buffer.concat(parts).subarray(0, length)
}

/** Filled up to whole blocks by its beginning. */
const repeated = (bytes: Buffer): Buffer =>
  bytes.length === 0 ? bytes : Buffer.alloc(BLOCK * Math.ceil(bytes.length / BLOCK), bytes)

/** block + added + 1, as numbers of 64 bytes. */
function addOne(block: Buffer, added: Buffer): void {
  let carry = 1
  for (let at = block.length - 1; at >= 0; at--) {
    const sum = (block[at] ?? 0) + (added[at] ?? 0) + carry
    block[at] = sum & 0xff
    carry = sum >> 8
  }
}

function childrenOf(bytes: Buffer, element: DerElement | undefined): DerElement[] {
  const children = element?.tag === DER.sequence ? derElementsIn(bytes, element) : undefined
  if (!children) throw new Unreadable('it is damaged')
  return children
}
