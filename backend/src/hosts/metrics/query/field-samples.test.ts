import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSeen } from './field-samples.ts'

const BUCKET_MS = 300_000

it('leaves out means that no instant sees, and no others', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -20, max: 20 }).map((minutes) => minutes * 60_000),
      fc.integer({ min: 1, max: 120 }).map((minutes) => minutes * 60_000),
      fc.integer({ min: 1, max: 120 }).map((minutes) => minutes * 60_000),
      fc.uniqueArray(fc.integer({ min: -10, max: 60 }), { minLength: 1 }),
      (firstMs, stepMs, lookbackMs, buckets) => {
        const all = buckets.toSorted((one, other) => one - other).map((bucket) => bucket * BUCKET_MS)
        const seen = all.filter((atMs) => isSeen(atMs, { firstMs, stepMs, lookbackMs }))
        const isWithin = (atMs: number, at: number) => at <= atMs && at > atMs - lookbackMs
        const instants = Array.from({ length: 400 }, (_, step) => firstMs + step * stepMs)
        for (const atMs of instants)
          expect(seen.findLast((at) => isWithin(atMs, at))).toBe(all.findLast((at) => isWithin(atMs, at)))
        for (const at of seen) expect(instants.some((atMs) => isWithin(atMs, at))).toBe(true)
      },
    ),
  )
})

it('of a step an hour it leaves one mean of twelve', () => {
  const all = Array.from({ length: 288 }, (_, bucket) => (bucket + 1) * BUCKET_MS)
  const instants = { firstMs: 0, stepMs: 3_600_000, lookbackMs: BUCKET_MS }
  expect(all.filter((atMs) => isSeen(atMs, instants))).toHaveLength(24)
})
