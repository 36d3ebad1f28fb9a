import { DAY_MS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { daysLeft } from '../../lib/days-left.ts'
import { keyText, weakText } from './figures.ts'

const NOW = Date.parse('2026-11-30T12:00:00.000Z')

it.each([
  [-1, 'critical', 'expired'],
  [0, 'critical', 'ends today'],
  [DAY_MS - 1, 'critical', 'ends today'],
  [DAY_MS, 'critical', '1 day left'],
  [14 * DAY_MS - 1, 'critical', '13 days left'],
  [14 * DAY_MS, 'warning', '14 days left'],
  [30 * DAY_MS, 'up', '30 days left'],
  [1_000 * DAY_MS, 'up', '1,000 days left'],
])('a certificate that ends in %i ms', (ms, status, label) => {
  expect(daysLeft(new Date(NOW + ms).toISOString(), NOW)).toEqual({ status, label })
})

it.each([
  'RSA key of 1024 bits',
  'signature with SHA-1',
  'RSA key of 1024 bits of the intermediate R1, of the intermediate X',
  'anything else',
])('a weakness is shown as the API says it in English: %s', (weak) => expect(weakText(weak)).toBe(weak))

it('a key is shown by its type and size, as far as they are known', () => {
  expect(keyText({ key_type: 'rsa', key_bits: 2_048 })).toBe('RSA 2048')
  expect(keyText({ key_type: 'ed25519', key_bits: null })).toBe('ED25519')
  expect(keyText({ key_type: null, key_bits: null })).toBe('–')
})
