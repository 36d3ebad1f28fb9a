import { expect, it } from 'vitest'
import { retryAfterMs } from './post.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
it.each([
  ['30', 30_000],
  ['0', 0],
  ['Mon, 30 Nov 2026 12:01:00 GMT', 60_000],
  ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After %j', (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms))
