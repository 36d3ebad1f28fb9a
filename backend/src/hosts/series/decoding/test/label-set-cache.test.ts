import { describe, expect, it } from 'vitest'
import { LabelSetCache } from '../index.ts'
import { toViewed } from '../label-set-cache.ts'
import type { LabelSet } from '../received.ts'

/** From the cache, or a new object. */
function get(cache: LabelSetCache, text: string): LabelSet | string {
  const source = toViewed(Buffer.from(`before ${text} after`))
  return cache.get(source, 7, 7 + Buffer.byteLength(text), () => [['__name__', text]])
}

describe('a cache of label sets', () => {
  it('gives the same object for the same bytes only', () => {
    const cache = new LabelSetCache({ sets: 20_000, bytes: 1_000_000 })
    const texts = Array.from({ length: 5_000 }, (_, index) => `series ${'x'.repeat(index % 7)}${index}`)
    const first = texts.map((text) => get(cache, text))
    expect(first.every((set, index) => typeof set === 'object' && set[0]?.[1] === texts[index])).toBe(true)
    expect(texts.every((text, index) => get(cache, text) === first[index])).toBe(true)
    expect(cache.size).toBe(5_000)
  })

  it.each([
    ['sets', { sets: 10, bytes: 1_000_000 }, 10],
    ['bytes', { sets: 1_000, bytes: 100 }, 20],
  ])('holds its bound of %s, and keeps what comes again', (_, bounds, most) => {
    const cache = new LabelSetCache(bounds)
    const kept = get(cache, 'again')
    for (let index = 10_000; index < 10_100; index++) {
      get(cache, String(index))
      expect(get(cache, 'again')).toBe(kept)
      expect(cache.size).toBeLessThanOrEqual(most)
    }
    expect(cache.size).toBeGreaterThan(most / 2)
  })

  it('keeps neither what is refused nor what is longer than half of its bytes', () => {
    const cache = new LabelSetCache({ sets: 10, bytes: 100 })
    expect(cache.get(toViewed(Buffer.from('x')), 0, 1, () => 'refused')).toBe('refused')
    get(cache, 'x'.repeat(51))
    expect(cache.size).toBe(0)
    get(cache, 'x'.repeat(50))
    expect(cache.size).toBe(1)
  })
})
