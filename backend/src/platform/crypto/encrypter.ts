import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what must be read again. `context` (whose it is) is encrypted with it: moved to another row it does not open. */
export interface Encrypter {
  encrypt(plain: Buffer, context: string): Buffer
  /** Undefined when no key of the installation opens it. */
  decrypt(encrypted: Buffer, context: string): Buffer | undefined
  /** Whether the newest key opens it: what others opened goes with them. */
  usesCurrentKey(encrypted: Buffer, context: string): boolean
}

/** Format: version, nonce, tag, ciphertext. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/** AES-256-GCM with keys of 32 bytes, newest first: the newest encrypts, all of them open. */
export function createEncrypter(keys: readonly [Buffer, ...Buffer[]]): Encrypter {
  const open = (candidates: readonly Buffer[], encrypted: Buffer, context: string) => {
    if (encrypted.length < HEAD_BYTES || encrypted[0] !== VERSION) return undefined
    for (const key of candidates) {
      const plain = openWith(key, encrypted, context)
      if (plain) return plain
    }
    return undefined
  }
  return {
    encrypt: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keys[0], nonce).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text])
    },
    decrypt: (encrypted, context) => open(keys, encrypted, context),
    usesCurrentKey: (encrypted, context) => open([keys[0]], encrypted, context) !== undefined,
  }
}

function openWith(key: Buffer, encrypted: Buffer, context: string): Buffer | undefined {
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(HEAD_BYTES)), decipher.final()])
  } catch {
    return undefined // another key, or not what was encrypted
  }
}
