declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'
  /** Encrypted content by RFC 8188, with keys by RFC 8291 where there is a private key. */
  export function decrypt(body: Buffer, params: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string }): Buffer
}
