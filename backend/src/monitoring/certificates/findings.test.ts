import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { CHANGE_COUNTS_MS, DIFFERENCE_COUNTS_AFTER_MS, findingsOf, type SeenByRegion } from './findings.ts'

const NOW = Date.parse('2026-11-30T12:00:00.000Z')
const region = (own: Partial<SeenByRegion> = {}): SeenByRegion => ({
  certificateId: 'a',
  endsMs: NOW + 30 * DAY_MS,
  weak: null,
  nameMismatch: false,
  revokedMs: null,
  names: [],
  sinceMs: NOW - 10 * DAY_MS,
  changedMs: null,
  issuer: 'B',
  keyType: 'ec',
  keyBits: 256,
  before: undefined,
  ...own,
})

it('a monitor without a certificate has no findings', () => {
  expect(findingsOf([], NOW)).toBeUndefined()
})

it('the days of a monitor are those of the region whose chain ends first', () => {
  expect(findingsOf([region(), region({ endsMs: NOW + 2 * DAY_MS })], NOW)?.days).toBe(2)
  expect(findingsOf([region({ endsMs: NOW - DAY_MS })], NOW)?.days).toBe(-1)
})

it('a change counts for a day and names both issuers and keys', () => {
  const before = { issuer: 'A', keyType: 'rsa', keyBits: 2_048 }
  const changed = (agoMs: number) => findingsOf([region(), region({ changedMs: NOW - agoMs, before })], NOW)?.changed
  expect(changed(0)).toBe('from issuer A (RSA 2048) to issuer B (EC 256)')
  expect(changed(CHANGE_COUNTS_MS - 1)).not.toBeNull()
  expect(changed(CHANGE_COUNTS_MS)).toBeNull()
  expect(findingsOf([region({ changedMs: NOW, keyType: null })], NOW)?.changed).toBe('from another one to issuer B')
})

it('a name that does not match names those of the certificate, the first three', () => {
  const mismatch = (names: string[]) => findingsOf([region({ nameMismatch: true, names })], NOW)?.nameMismatch
  expect(mismatch(['a.example', 'b.example'])).toBe('a.example, b.example')
  expect(mismatch(['a', 'b', 'c', 'd'])).toBe('a, b, c…')
  expect(mismatch([])).toBe('nobody')
})

it('regions differ once they have seen different certificates for an hour', () => {
  const differs = (forMs: number) => findingsOf([region(), region({ certificateId: 'b', sinceMs: NOW - forMs })], NOW)?.differs
  expect(differs(DIFFERENCE_COUNTS_AFTER_MS - 1)).toBeNull()
  expect(differs(DIFFERENCE_COUNTS_AFTER_MS)).toBe('regions see 2 different certificates')
  expect(findingsOf([region(), region({ sinceMs: NOW - 2 * HOUR_MS })], NOW)?.differs).toBeNull()
})

it('a revocation names its day, the first that a region knows of', () => {
  expect(findingsOf([region()], NOW)?.revoked).toBeNull()
  const [first, second] = [region({ revokedMs: NOW - DAY_MS }), region({ revokedMs: NOW })]
  expect(findingsOf([region(), second, first], NOW)?.revoked).toBe('on 2026-11-29')
})
