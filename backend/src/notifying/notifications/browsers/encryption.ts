import { createCipheriv, createECDH, hkdfSync } from 'node:crypto'
import { randomBytes } from '../../../platform/crypto/random.ts'

/** The keys of a browser's subscription. */
export interface BrowserKeys {
  /** A point of P-256, uncompressed: 65 bytes. */
  p256dh: Buffer
  /** 16 bytes. */
  auth: Buffer
}

const CURVE = 'prime256v1'
/** Push services accept no longer body (RFC 8291 section 4); 103 bytes of it are not text. */
const RECORD_BYTES = 4_096
const SALT_BYTES = 16
/** After the text of the last record, RFC 8188 section 2. */
const LAST_RECORD = Buffer.of(2)

/** Whether a public key lies on the curve. Pure. */
export function isOnCurve(p256dh: Buffer): boolean {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  try {
    pair.computeSecret(p256dh)
    return true
  } catch {
    return false
  }
}

/**
 * The body that only this browser can read: `aes128gcm` (RFC 8188) with keys by RFC 8291. `text`: at most 3,993 bytes.
 * `once` is for the example of the RFC: a private key and a salt that must never be used again.
 */
export function encryptFor({ p256dh, auth }: BrowserKeys, text: Buffer, once?: { privateKey: Buffer; salt: Buffer }): Buffer {
  const pair = createECDH(CURVE)
  if (once) pair.setPrivateKey(once.privateKey)
  else pair.generateKeys()
  const publicKey = pair.getPublicKey()
  const salt = once?.salt ?? randomBytes(SALT_BYTES)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey])
  const secret = derive(pair.computeSecret(p256dh), auth, info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const encrypted = [cipher.update(Buffer.concat([text, LAST_RECORD])), cipher.final(), cipher.getAuthTag()]
  const sizes = Buffer.alloc(5)
  sizes.writeUInt32BE(RECORD_BYTES)
  sizes.writeUInt8(publicKey.length, 4)
  return Buffer.concat([salt, sizes, publicKey, ...encrypted])
}

const derive = (key: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes))
