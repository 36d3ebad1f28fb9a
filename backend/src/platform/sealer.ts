import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what must be read again. `context` (whose it is) is sealed with it: moved to another row it does not open. */
export interface Sealer {
  seal(plain: Buffer, context: string): Buffer
  /** Undefined when no key of the installation opens it. */
  open(sealed: Buffer, context: string): Buffer | undefined
  /** Whether the newest key opens it: what others opened goes with them. */
  isNewest(sealed: Buffer, context: string): boolean
}

/** Format: version, nonce, tag, ciphertext. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/** AES-256-GCM with keys of 32 bytes, newest first: the newest seals, all of them open. */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): Sealer {
  const open = (candidates: readonly Buffer[], sealed: Buffer, context: string) => {
    if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) return undefined
    for (const key of candidates) {
      const plain = openWith(key, sealed, context)
      if (plain) return plain
    }
    return undefined
  }
  return {
    seal: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keys[0], nonce).setAAD(Buffer.from(context))
      const text = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text])
    },
    open: (sealed, context) => open(keys, sealed, context),
    isNewest: (sealed, context) => open([keys[0]], sealed, context) !== undefined,
  }
}

function openWith(key: Buffer, sealed: Buffer, context: string): Buffer | undefined {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()])
  } catch {
    return undefined // another key, or not what was sealed
  }
}
