import { DAY_MS, HOUR_MS, toTimestamp } from '@vedette/shared'
import { expect, it } from 'vitest'
import { createChainFilter } from './chain-filter.ts'
import { identityOf, isReported, nextSighting, type SeenCertificate, type StoredSighting, toColumns } from './sighting.ts'
import { factsOf, one } from '../../../test/seen-certificates.ts'

const NOW = Date.parse('2026-11-30T12:00:00.000Z')
const LEAF = one({ notBeforeMs: NOW - 10 * DAY_MS })
const seen = (certificate = factsOf(LEAF), atMs = NOW): SeenCertificate => ({
  organization: 1,
  monitor: 2,
  region: 3,
  atMs,
  certificate,
})
const stored = (own: Partial<StoredSighting> = {}): StoredSighting => ({
  certificateId: 'old',
  issuer: "E7, Let's Encrypt",
  notBeforeMs: NOW - 10 * DAY_MS,
  notAfterMs: NOW + 80 * DAY_MS,
  sinceMs: NOW - 5 * DAY_MS,
  previous: [],
  changedMs: null,
  changedFrom: null,
  revokedMs: null,
  isRedefined: false,
  ...own,
})
const NONE = new Set<string>()

it('a first sighting is no change', () => {
  const row = nextSighting(seen(), 'new', undefined, NONE)
  expect(row).toMatchObject({
    certificate_id: 'new',
    since: toTimestamp(NOW),
    previous: [],
    changed_at: null,
    changed_from: null,
  })
})

it('the same certificate keeps since when it is seen, and its last change', () => {
  const before = stored({ certificateId: 'new', previous: ['x'], changedMs: NOW - HOUR_MS, changedFrom: 'x' })
  const row = nextSighting(seen(), 'new', before, NONE)
  expect(row).toMatchObject({ since: toTimestamp(NOW - 5 * DAY_MS), previous: ['x'], changed_at: toTimestamp(NOW - HOUR_MS) })
})

it('a new certificate long before the end of the old one is a change', () => {
  const row = nextSighting(seen(), 'new', stored(), NONE)
  expect(row).toMatchObject({ since: toTimestamp(NOW), previous: ['old'], changed_at: toTimestamp(NOW), changed_from: 'old' })
})

it('a renewal in the last third is silent, and so is a certificate that was seen before', () => {
  const old = stored({ notBeforeMs: NOW - 70 * DAY_MS, notAfterMs: NOW + 20 * DAY_MS })
  expect(nextSighting(seen(), 'new', old, NONE)).toMatchObject({ previous: ['old'], changed_at: null })
  expect(nextSighting(seen(), 'new', stored(), new Set(['new']))).toMatchObject({ previous: ['old'], changed_at: null })
})

it('a monitor that was changed may check another target, whose certificate is no change', () => {
  const row = nextSighting(seen(), 'new', stored({ isRedefined: true }), NONE)
  expect(row).toMatchObject({ previous: ['old'], changed_at: null })
})

it('the last eight certificates are remembered', () => {
  const previous = Array.from({ length: 8 }, (_, index) => `c${index}`)
  const row = nextSighting(seen(), 'c3', stored({ previous }), NONE)
  expect(row.previous).toEqual(['old', 'c0', 'c1', 'c2', 'c4', 'c5', 'c6', 'c7'])
})

it('a chain ends with its first certificate, and only what was sent after the leaf is stored with it', () => {
  const intermediate = one({ name: 'E7', issuer: 'ISRG Root X1', notAfterMs: NOW + DAY_MS })
  const row = nextSighting(seen(factsOf(LEAF, [intermediate])), 'new', undefined, NONE)
  expect(row).toMatchObject({ ends_at: toTimestamp(NOW + DAY_MS), chain: [intermediate], weak: null })
})

it('a leaf that a probe of an older version reports is stored as far as it is known', () => {
  const old = { expires_at: LEAF.not_after, issuer: 'ca', subject_names: ['shop.example.com'] }
  expect([isReported(old), isReported(factsOf(LEAF)), isReported(factsOf(LEAF, [], { chain: [] }))]).toEqual([true, true, false])
  const { fingerprint, ...columns } = toColumns(seen(old))
  expect(fingerprint).toHaveLength(32)
  expect(columns).toMatchObject({ sha256: null, name: 'shop.example.com', issuer: 'ca', key_type: null, not_before: null })
  expect(nextSighting(seen(old), 'new', undefined, NONE)).toMatchObject({ chain: [], weak: null, name_mismatch: false })
})

it('texts of targets are stored without what the database rejects', () => {
  const leaf = one({ name: 'a\0b\ud800' })
  expect(toColumns(seen(factsOf(leaf)))).toMatchObject({ name: 'a\uFFFDb\uFFFD', subject: 'a\uFFFDb\uFFFD' })
})

it('another intermediate, order or name makes another identity', () => {
  const [a, b] = [one({ name: 'A' }), one({ name: 'B' })]
  const all = [
    factsOf(LEAF),
    factsOf(LEAF, [a]),
    factsOf(LEAF, [a, b]),
    factsOf(LEAF, [b, a]),
    factsOf(LEAF, [], { name_mismatch: true }),
  ]
  expect(new Set(all.map(identityOf)).size).toBe(all.length)
})

it('a probe sends a chain again when it changes, and after ten minutes', () => {
  const filter = createChainFilter()
  const lengthOf = (key: string, atMs: number, certificate = factsOf(LEAF)) =>
    filter(key, { checked_at: toTimestamp(atMs), certificate } as never).certificate?.chain?.length
  expect(lengthOf('1.1', NOW)).toBe(1)
  expect(lengthOf('1.1', NOW + 60_000)).toBeUndefined()
  expect(lengthOf('1.2', NOW + 60_000)).toBe(1)
  expect(lengthOf('1.1', NOW + 120_000, factsOf(LEAF, [one({ name: 'A' })]))).toBe(2)
  expect(lengthOf('1.1', NOW + 120_000 + 599_999, factsOf(LEAF, [one({ name: 'A' })]))).toBeUndefined()
  expect(lengthOf('1.1', NOW + 120_000 + 600_000, factsOf(LEAF, [one({ name: 'A' })]))).toBe(2)
  expect(filter('1.1', { certificate: null } as never)).toEqual({ certificate: null })
})

it('a revoked certificate stays so while no response comes, and another one is not revoked', () => {
  const [fine, at] = [factsOf(one()), '2026-11-01T00:00:00.000Z']
  const revoked = { ...fine, revoked_at: at }
  expect(nextSighting(seen(revoked), 'old', undefined, NONE).revoked_at).toBe(at)
  const before = stored({ revokedMs: Date.parse(at) })
  expect(nextSighting(seen(fine), 'old', before, NONE).revoked_at).toBe(at)
  expect(nextSighting(seen(fine), 'new', before, NONE).revoked_at).toBeNull()
  expect(identityOf(revoked)).not.toBe(identityOf(fine))
})
