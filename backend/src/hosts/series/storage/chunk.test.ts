import { BlockError } from '@vedette/shared/metrics/block'
import { describe, expect, it } from 'vitest'
import { decodeChunk, encodeChunk } from './chunk.ts'
import { bitsOf, joinSamples, type Samples, within } from './samples.ts'

const stale = () => {
  const values = new Float64Array(1)
  bitsOf(values)[0] = 0x7ff0000000000002n
  return values
}
const samplesOf = (values: Float64Array | number[], stepMs = 15_000): Samples => ({
  atMs: Float64Array.from({ length: values.length }, (_, index) => 1_800_000_000_000 + index * stepMs),
  values: Float64Array.from(values),
})
const withStale = (samples: Samples, index: number): Samples => {
  bitsOf(samples.values)[index] = bitsOf(stale())[0] as bigint
  return samples
}
/** As texts, with the bits of the values. */
const exactly = ({ atMs, values }: Samples): string[] => [...bitsOf(values)].map((bits, index) => `${atMs[index]} ${bits}`)

let seed = 7
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}
const many = (next: (index: number) => number, count = 240) => Float64Array.from({ length: count }, (_, index) => next(index))

function faultOf(bytes: Uint8Array): unknown {
  try {
    decodeChunk(bytes)
    return undefined
  } catch (error) {
    return error
  }
}

describe('a chunk of a series', () => {
  it.each<[string, Samples]>([
    ['one sample', samplesOf([1])],
    ['a constant', samplesOf(many(() => 1))],
    ['a counter of bytes', samplesOf(many((index) => index * 123_457 + 9e12))],
    ['seconds with hundredths', samplesOf(many((index) => Math.round(index * 1_503) / 100))],
    ['fourteen decimals', samplesOf(many(() => Math.round(random() * 1e14) / 1e14))],
    ['any doubles', samplesOf(many(() => random() * Math.PI))],
    ['numbers at their ends', samplesOf([Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -0, 0, 2 ** 53, -(2 ** 53)])],
    ['the range of a column', samplesOf([2 ** 52 - 1, -(2 ** 52) + 1, 2 ** 52])],
    ['no numbers', samplesOf([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])],
    ['a stale marker at the end', withStale(samplesOf(many((index) => index)), 239)],
    ['a stale marker among doubles', withStale(samplesOf(many(() => random())), 100)],
    ['a stale marker alone', withStale(samplesOf([0]), 0)],
    [
      'times with jitter',
      { ...samplesOf(many(() => 3)), atMs: many((index) => 1_800_000_000_000 + index * 15_000 + random() * 9) },
    ],
    ['8,000 samples', samplesOf(many(() => random(), 8_000))],
  ])('holds %s exactly', (_, { atMs, values }) => {
    const samples = { atMs: atMs.map(Math.floor), values }
    expect(exactly(decodeChunk(encodeChunk(samples)))).toEqual(exactly(samples))
  })

  it('takes a byte and a half a sample of what exporters send', () => {
    const bytes = (samples: Samples) => encodeChunk(samples).length / samples.atMs.length
    let [used, sent] = [5_000, 1e9]
    expect(bytes(samplesOf(many(() => Math.round((used += random()) * 100) / 100, 5_760)))).toBeLessThan(1.2)
    expect(bytes(samplesOf(many(() => Math.floor((sent += random() * 100_000)), 5_760)))).toBeLessThan(2.3)
    expect(bytes(samplesOf(many(() => 1, 5_760)))).toBeLessThan(0.01)
  })

  it('refuses every other text of bytes with a BlockError', () => {
    const good = encodeChunk(withStale(samplesOf(many((index) => index / 7)), 5))
    const decimal = encodeChunk(withStale(samplesOf(many((index) => index / 4)), 5))
    for (const bytes of [good, decimal])
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1 << (at % 8)
        for (const damaged of [changed, bytes.subarray(0, at)])
          expect(faultOf(damaged) ?? new BlockError('')).toBeInstanceOf(BlockError)
      }
  })
})

describe('samples of several pieces', () => {
  it('are in order, and of two at one instant the first stands', () => {
    const joined = joinSamples([
      { atMs: Float64Array.of(20, 40), values: Float64Array.of(2, 4) },
      { atMs: Float64Array.of(40, 10, 30), values: Float64Array.of(9, 1, 3) },
    ])
    expect(exactly(joined)).toEqual(exactly({ atMs: Float64Array.of(10, 20, 30, 40), values: Float64Array.of(1, 2, 3, 4) }))
    expect(exactly(within(joined, 11, 40))).toEqual(exactly({ atMs: Float64Array.of(20, 30), values: Float64Array.of(2, 3) }))
  })

  it('keep the bits of a stale marker', () => {
    const piece = (at: number): Samples => ({ atMs: Float64Array.of(at), values: stale() })
    expect([...bitsOf(joinSamples([piece(2), piece(1)]).values)]).toEqual([0x7ff0000000000002n, 0x7ff0000000000002n])
  })
})
