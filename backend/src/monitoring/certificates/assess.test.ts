import { DAY_MS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { isRenewal, soonestEnd, weaknessOf } from './assess.ts'
import { one } from '../../../test/seen-certificates.ts'

const RSA = { keyType: 'rsa', signature: 'sha256WithRSAEncryption' }

it.each([
  ['an RSA key of 1024 bits', [one({ ...RSA, keyBits: 1_024 })], 'RSA key of 1024 bits'],
  ['an RSA key of 2047 bits', [one({ ...RSA, keyBits: 2_047 })], 'RSA key of 2047 bits'],
  ['an RSA key of 2048 bits', [one({ ...RSA, keyBits: 2_048 })], null],
  ['a DSA key of 1024 bits', [one({ keyType: 'dsa', keyBits: 1_024 })], 'DSA key of 1024 bits'],
  ['a curve of 192 bits', [one({ keyBits: 192 })], 'EC key of 192 bits'],
  ['a curve of 224 bits', [one({ keyBits: 224 })], null],
  ['an Ed25519 key', [one({ keyType: 'ed25519', signature: 'ED25519' })], null],
  ['a key of unknown size', [one({ ...RSA, keyBits: null })], null],
  ['a signature with SHA-1', [one({ signature: 'sha1WithRSAEncryption' })], 'signature with SHA-1'],
  ['a signature of ECDSA with SHA-1', [one({ signature: 'ecdsa-with-SHA1' })], 'signature with SHA-1'],
  ['a signature with MD5', [one({ signature: 'md5WithRSAEncryption' })], 'signature with MD5'],
  [
    'a self-signed leaf with SHA-1',
    [one({ name: 'x', issuer: 'x', signature: 'sha1WithRSAEncryption' })],
    'signature with SHA-1',
  ],
  ['a root with SHA-1', [one(), one({ name: 'Root', issuer: 'Root', signature: 'sha1WithRSAEncryption' })], null],
  ['a weak intermediate', [one(), one({ ...RSA, name: 'R1', keyBits: 1_024 })], 'RSA key of 1024 bits of the intermediate R1'],
  ['an unknown signature', [one({ signature: '' })], null],
  ['nothing', [], null],
])('the weakness of %s', (_what, chain, weak) => {
  expect(weaknessOf(chain)).toBe(weak)
})

it('the first end is that of the leaf or of what was sent with it', () => {
  const end = Date.parse('2027-01-01T00:00:00.000Z')
  expect(soonestEnd(end, [])).toBe(end)
  expect(soonestEnd(end, [one({ notAfterMs: end + 1 })])).toBe(end)
  expect(soonestEnd(end, [one({ notAfterMs: end + 1 }), one({ notAfterMs: end - 1 })])).toBe(end - 1)
})

const OLD = { issuer: "E7, Let's Encrypt", notBeforeMs: 0, notAfterMs: 90 * DAY_MS }
it.each([
  ['at the begin of the last third', "E7, Let's Encrypt", 60 * DAY_MS, true],
  ['before the last third', "E7, Let's Encrypt", 60 * DAY_MS - 1, false],
  ['by another intermediate of the same authority', "E8, Let's Encrypt", 70 * DAY_MS, true],
  ['by another issuer', 'Evil CA', 70 * DAY_MS, false],
  ['by nobody', null, 70 * DAY_MS, false],
  ['after the end', "E7, Let's Encrypt", 100 * DAY_MS, true],
])('a certificate that comes %s', (_when, issuer, nowMs, isExpected) => {
  expect(isRenewal(OLD, { issuer }, nowMs)).toBe(isExpected)
})

it('a certificate whose begin is not known is renewed by its issuer at any time', () => {
  expect(isRenewal({ ...OLD, notBeforeMs: null }, OLD, 1)).toBe(true)
  expect(isRenewal({ ...OLD, notBeforeMs: null }, { issuer: 'Evil CA' }, 1)).toBe(false)
})
