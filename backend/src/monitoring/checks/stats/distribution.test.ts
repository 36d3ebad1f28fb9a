import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Distribution, ExactTimes, Sketch } from './distribution.ts'

const times = fc.array(fc.oneof(fc.integer({ min: 0, max: 60_000_000 }), fc.integer({ min: 0, max: 50 })), { maxLength: 600 })
const percents = [0, 1, 50, 95, 99, 99.9, 100]

const filled = <T extends Distribution>(distribution: T, values: readonly number[]): T => {
  for (const value of values) distribution.add(value)
  return distribution
}
/** The smallest value that so many percent of all are not above. */
function nearestRank(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.find((_, index) => (index + 1) * 100 >= percent * sorted.length) ?? 0
}

describe('percentiles', () => {
  it('are observed values where every value is kept', () => {
    fc.assert(
      fc.property(times, (values) => {
        const exact = filled(new ExactTimes(), values)
        for (const percent of percents) expect(exact.percentile(percent)).toBe(nearestRank(values, percent))
      }),
    )
  })

  it('are within one percent of it in a sketch', () => {
    fc.assert(
      fc.property(times, (values) => {
        const sketch = filled(new Sketch(), values)
        for (const percent of percents) {
          const truth = nearestRank(values, percent)
          expect(Math.abs(sketch.percentile(percent) - truth)).toBeLessThanOrEqual(Math.max(1, truth * 0.01))
        }
      }),
    )
  })

  it('of merged sketches are those of all values', () => {
    fc.assert(
      fc.property(times, times, (some, others) => {
        const sum = new Sketch()
        sum.addEncoded(filled(new Sketch(), some).encode())
        sum.addEncoded(filled(new Sketch(), others).encode())
        const all = filled(new Sketch(), [...some, ...others])
        for (const percent of percents) expect(sum.percentile(percent)).toBe(all.percentile(percent))
      }),
    )
  })

  it('of an empty distribution are 0', () => {
    for (const nothing of [new ExactTimes(), new Sketch()]) expect(nothing.percentile(95)).toBe(0)
  })

  it('are refused for bytes that are no sketch', () => {
    expect(() => new Sketch().addEncoded(Buffer.of(9))).toThrow('version 9')
    expect(() => new Sketch().addEncoded(Buffer.of(1, 200))).toThrow('truncated')
  })
})
