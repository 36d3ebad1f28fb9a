import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBlock, type SampleColumns } from '../block/index.ts'
import { toDay } from './day.ts'
import { HOUR_MS, joinHour, type StoredHour } from './hour.ts'
import { createMeans } from './means.ts'

const DAY = 20_000
const HOUR = DAY * 24 + 3

/** Samples each 100 s of the hour, of two fields that not all of them have. */
function samplesOf(hour: number, valueAt: (index: number) => number): SampleColumns {
  const atMs = Float64Array.from({ length: 36 }, (_, index) => hour * HOUR_MS + index * 100_000)
  return { atMs, fieldIds: [1, 6], values: Float64Array.from({ length: 72 }, (_, index) => valueAt(index)) }
}
const hourOf = (hour: number, valueAt: (index: number) => number): StoredHour =>
  joinHour(hour, [{ t0Ms: hour * HOUR_MS, block: encodeBlock(samplesOf(hour, valueAt)) }]) as StoredHour

describe('a day by the means of its hours', () => {
  const value = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(Number.NaN), fc.integer({ min: 0, max: 2 ** 47 }))

  it('is the day by its samples', () => {
    fc.assert(
      fc.property(fc.array(fc.func(value), { minLength: 1, maxLength: 3 }), (all) => {
        const hours = all.map((valueAt, index) => hourOf(DAY * 24 + index * 7, (at) => valueAt(at) + 0))
        const known = hours.map(({ hour, header, means }) => ({ hour, header, means: means as Uint8Array }))
        expect(toDay(DAY, known)).toEqual(toDay(DAY, hours))
      }),
      { numRuns: 50 },
    )
  })

  it('is not to be had where a sum passes 2^53 − 1', () => {
    const hour = hourOf(HOUR, () => 2 ** 53 - 1)
    expect(hour.means).toBeUndefined()
    expect(toDay(DAY, [hour]).length).toBeGreaterThan(0)
  })
})

describe('means', () => {
  const own = { organization: 1, server: 2, hour: HOUR, header: Buffer.from('header') }
  const parts = new Uint8Array(100)

  it('are found while the hour is what it was', () => {
    const means = createMeans()
    expect(means.find(own)).toBeUndefined()
    means.keep(own, parts)
    expect(means.find(own)).toBe(parts)
    for (const other of [{ organization: 2 }, { server: 1 }, { hour: HOUR + 1 }, { header: Buffer.from('later') }])
      expect(means.find({ ...own, ...other })).toBeUndefined()
    expect(means.knows(own, { from: HOUR, to: HOUR + 1 })).toBe(true)
    expect(means.knows(own, { from: HOUR + 1, to: HOUR + 2 })).toBe(false)
    expect(means.knows({ organization: 1, server: 1 }, { from: HOUR, to: HOUR + 1 })).toBe(false)
  })

  const DAY_ROOM = 24 * 400

  it('go when their day is there', () => {
    const means = createMeans(DAY_ROOM)
    const after = { ...own, server: 3, hour: HOUR + 1 }
    means.keep(own, parts)
    means.keep(after, parts)
    expect(means.find(after)).toBeUndefined()
    means.forgetBefore(HOUR + 1)
    expect(means.find(own)).toBeUndefined()
    means.keep(after, parts)
    expect(means.find(after)).toBe(parts)
  })

  it('are those of whole days of as many servers as there is room for, whoever comes first', () => {
    const means = createMeans(2 * DAY_ROOM)
    for (let hour = DAY * 24; hour < DAY * 24 + 24; hour += 1)
      for (const server of [7, 8, 9]) means.keep({ ...own, server, hour }, parts)
    const kept = (server: number) =>
      Array.from({ length: 24 }, (_, index) => means.find({ ...own, server, hour: DAY * 24 + index })).filter(Boolean).length
    expect([7, 8, 9].map(kept)).toEqual([24, 24, 0])
  })

  it('that have grown beyond their room are kept while there is some', () => {
    const means = createMeans(2 * DAY_ROOM)
    means.keep(own, parts)
    means.keep({ ...own, hour: HOUR + 1 }, new Uint8Array(2 * DAY_ROOM - 700))
    expect(means.find({ ...own, hour: HOUR + 1 })).toBeDefined()
    means.keep(own, parts)
    means.keep({ ...own, hour: HOUR + 2 }, parts)
    expect(means.find({ ...own, hour: HOUR + 2 })).toBeUndefined()
    expect(means.find(own)).toBe(parts)
  })
})
