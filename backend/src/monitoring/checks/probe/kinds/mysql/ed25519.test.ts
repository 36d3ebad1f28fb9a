import { createPrivateKey, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { signEd25519 } from './ed25519.ts'

/** What comes before a seed in a private key of PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

it('a signature with a secret of 32 bytes is that of the library of Node', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 64 }), (secret, message) => {
      const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
      expect(signEd25519(secret, message).equals(sign(null, message, key))).toBe(true)
    }),
    { numRuns: 25 },
  )
})
