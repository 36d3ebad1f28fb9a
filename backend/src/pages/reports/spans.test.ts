import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergeSpans, secondsOf, subtract } from './spans.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }))
  .map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length }))
const spans = fc.array(span, { maxLength: 8 }).map(mergeSpans)
const holds = (all: readonly { fromMs: number; toMs: number }[], ms: number) =>
  all.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)

it('an instant is in a difference if it is in the first spans and in none of the second', () => {
  fc.assert(
    fc.property(spans, spans, (some, cuts) => {
      const left = subtract(some, cuts)
      for (let ms = 0; ms < 80; ms += 1) expect(holds(left, ms)).toBe(holds(some, ms) && !holds(cuts, ms))
      expect(secondsOf(left)).toBeLessThanOrEqual(secondsOf(some))
    }),
  )
})
