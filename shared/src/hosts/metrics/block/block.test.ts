import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockError, decodeBlock, decodeInstants, encodeBlock, type SampleColumns } from './index.ts'

const T0 = 1_763_661_600_000

/** `[id, values]` per field; undefined is an absent value. */
function columnsOf(atMs: number[], fields: [number, (number | undefined)[]][]): SampleColumns {
  const values = Float64Array.from(fields.flatMap(([, column]) => column.map((value) => value ?? Number.NaN)))
  return { atMs: Float64Array.from(atMs), fieldIds: fields.map(([id]) => id), values }
}

const everyId = new Set(Array.from({ length: 400 }, (_, id) => id))

/** What must come back: fields without any value are not in a block. */
function expected(columns: SampleColumns): SampleColumns {
  const count = columns.atMs.length
  const kept = columns.fieldIds.flatMap((id, index) => {
    const column = columns.values.slice(index * count, (index + 1) * count)
    return column.some((value) => !Number.isNaN(value)) ? [{ id, column }] : []
  })
  return {
    atMs: columns.atMs,
    fieldIds: kept.map(({ id }) => id),
    values: Float64Array.from(kept.flatMap(({ column }) => [...column])),
  }
}

const value = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 2 ** 30 }).map((kibibytes) => kibibytes * 1_024),
  fc.constantFrom(0, 1, 63, 64, 127, 128, 8_191, 8_192, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, undefined),
)
const signed = fc.constantFrom(-1, -64, -65, -(2 ** 52), 0, 127, 2 ** 52 - 1, undefined)
const kibibytes = fc.oneof(
  fc.maxSafeNat().map((any) => Math.trunc(any / 1_024) * 1_024),
  fc.constantFrom(0, 1_024, undefined),
)
const column = (count: number) =>
  fc.oneof(
    fc.array(kibibytes, { minLength: count, maxLength: count }),
    fc.array(value, { minLength: count, maxLength: count }),
    fc.array(signed, { minLength: count, maxLength: count }),
    value.map((only) => Array.from({ length: count }, () => only)),
  )
const batch = fc
  .record({
    start: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    steps: fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 30 }),
  })
  .chain(({ start, steps }) => {
    const atMs = [start]
    for (const step of steps) atMs.push((atMs.at(-1) ?? 0) + step)
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 399 }), { maxLength: 40 })
    return ids.chain((found) =>
      fc
        .tuple(...found.sort((a, b) => a - b).map((id) => fc.tuple(fc.constant(id), column(atMs.length))))
        .map((fields) => columnsOf(atMs, fields)),
    )
  })

/** Whether the bytes decode into columns that keep the promises of their type, or are refused by a BlockError. */
function isTotalOn(bytes: Uint8Array, t0Ms: number): boolean {
  try {
    const { atMs, fieldIds, values } = decodeBlock(bytes, t0Ms, everyId)
    const ascends = atMs.every((at, index) => Number.isSafeInteger(at) && (index === 0 || at > (atMs[index - 1] ?? at)))
    const isWhole = values.every((entry) => Number.isNaN(entry) || Number.isSafeInteger(entry))
    return ascends && isWhole && values.length === atMs.length * fieldIds.length
  } catch (error) {
    return error instanceof BlockError
  }
}

const sample = columnsOf(
  [T0, T0 + 10_000, T0 + 20_001, T0 + 30_000],
  [
    [1, [1_234, 1_250, undefined, 0]],
    [6, [8, 8, 8, 8]],
    [10, [2 ** 53 - 1, 0, 2 ** 40, 5]],
    [11, [-(2 ** 52), 2 ** 52 - 1, 0, 1]],
    [12, [2 ** 34, undefined, 2 ** 34 + 1_024, 0]],
    [300, [undefined, 7, 7, undefined]],
  ],
)

/** Two fields that go up and down by some thousands. */
const noise = columnsOf(
  Array.from({ length: 40 }, (_, n) => T0 + n * 10_000),
  [5, 9].map((id) => [id, Array.from({ length: 40 }, (_, n) => 50_000 + ((n * n * 7_919 * id) % 9_973))]),
)

/** One that rests between its work, one with gaps that also goes below 0, and one that only goes up and down. */
const jumping = columnsOf(
  Array.from({ length: 40 }, (_, n) => T0 + n * 10_000),
  [
    [5, Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? 0 : (n * n * 7_919_333) % 20_000_000))],
    [9, Array.from({ length: 40 }, (_, n) => (n % 7 === 0 ? undefined : ((n * n * 7_919_333) % 20_000_000) - 10_000_000))],
    [12, Array.from({ length: 40 }, (_, n) => 50_000 + ((n * n * 7_919) % 9_973))],
  ],
)

describe('a block', () => {
  it('gives back exactly what went in', () => {
    fc.assert(
      fc.property(batch, (columns) => {
        expect(decodeBlock(encodeBlock(columns), columns.atMs[0] ?? 0, everyId)).toEqual(expected(columns))
      }),
      { numRuns: 1_000 },
    )
  })

  it('is refused however it is cut off', () => {
    fc.assert(
      fc.property(batch, (columns) => {
        const bytes = encodeBlock(columns)
        for (let length = 0; length < bytes.length; length++) {
          expect(() => decodeBlock(bytes.subarray(0, length), T0, everyId)).toThrow(BlockError)
          expect(() => decodeBlock(bytes.subarray(0, length), T0, new Set())).toThrow(BlockError)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('decodes or is refused with any bit flipped', () => {
    for (const columns of [sample, noise, jumping]) {
      const bytes = encodeBlock(columns)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice()
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        expect(isTotalOn(flipped, T0)).toBe(true)
      }
    }
  })
})

describe('encodeBlock and decodeBlock', () => {
  it.each([
    ['one sample of one field', columnsOf([T0], [[1, [42]]])],
    ['one sample without a field', columnsOf([T0], [])],
    ['a field that no sample has', columnsOf([T0, T0 + 1], [[1, [undefined, undefined]]])],
    ['every form of a field at once', sample],
    ['what jumps about', jumping],
    ['instants before 1970', columnsOf([-5, 0, 7], [[2, [1, 2, 3]]])],
    [
      '10,000 samples',
      columnsOf(
        Array.from({ length: 10_000 }, (_, n) => T0 + n),
        [[3, Array.from({ length: 10_000 }, (_, n) => n % 97)]],
      ),
    ],
  ])('keep %s', (_, columns) => {
    expect(decodeBlock(encodeBlock(columns), columns.atMs[0] ?? 0, everyId)).toEqual(expected(columns))
    expect(decodeInstants(encodeBlock(columns), columns.atMs[0] ?? 0)).toEqual(columns.atMs)
  })

  it('reads wanted fields only, and fields of a newer version not at all', () => {
    const bytes = encodeBlock(sample)
    expect(decodeBlock(bytes, T0).fieldIds).toEqual([1, 6, 10, 11, 12])
    const one = decodeBlock(bytes, T0, new Set([6, 35]))
    expect([one.fieldIds, [...one.values]]).toEqual([[6], [8, 8, 8, 8]])
  })

  it('gives bytes that stand while others are written', () => {
    const bytes = encodeBlock(sample)
    const before = bytes.slice()
    encodeBlock(noise)
    expect(bytes).toEqual(before)
  })

  it('spends one value on a constant field and no byte on even steps', () => {
    const atMs = Array.from({ length: 360 }, (_, n) => T0 + n * 10_000)
    const bytes = encodeBlock(columnsOf(atMs, [[1, atMs.map(() => 7)]]))
    // Version, count (2), step (2), field count, head of the field, its value.
    expect(bytes.length).toBe(8)
  })

  it.each<[string, SampleColumns]>([
    ['no samples', columnsOf([], [])],
    [
      '10,001 samples',
      columnsOf(
        Array.from({ length: 10_001 }, (_, n) => n),
        [],
      ),
    ],
    ['equal instants', columnsOf([5, 5], [])],
    ['descending instants', columnsOf([5, 4], [])],
    ['a fraction as value', columnsOf([5, 6], [[1, [1, 1.5]]])],
    ['2^53 as value', columnsOf([5], [[1, [2 ** 53]]])],
    ['a range beyond 2^53', columnsOf([5, 6], [[1, [-1, 2 ** 53 - 1]]])],
    ['infinity as value', columnsOf([5], [[1, [Number.POSITIVE_INFINITY]]])],
    [
      'ids that do not ascend',
      columnsOf(
        [5],
        [
          [2, [1]],
          [2, [1]],
        ],
      ),
    ],
    ['a column that is too short', { atMs: Float64Array.of(1, 2), fieldIds: [1], values: Float64Array.of(1) }],
  ])('refuses to write %s', (_, columns) => {
    expect(() => encodeBlock(columns)).toThrow(RangeError)
  })
})

describe('decodeBlock is total', () => {
  it('on any bytes', () => {
    const anything = fc.uint8Array({ maxLength: 200 })
    const versioned = anything.map((tail) => Uint8Array.of(1, ...tail))
    fc.assert(
      fc.property(fc.oneof(anything, versioned), fc.integer(), (bytes, t0Ms) => {
        expect(isTotalOn(bytes, t0Ms)).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  it.each<[string, number[]]>([
    ['no bytes', []],
    ['another form', [3, 2, 0]],
    ['no samples', [1, 0, 0]],
    ['10,001 evenly spaced samples', [1, 0xa3, 0x9c, 0x01, 1, 0]],
    ['2^50 samples', [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03, 0]],
    ['more samples than bytes', [1, 0x80, 0x10, 1, 0]],
    ['more fields than bytes', [1, 2, 100, 16, 0]],
    ['a step of 0', [1, 5, 0, 0]],
    ['a byte too many', [1, 2, 0, 0]],
    ['a number without an end', [1, 2, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]],
    ['a bitmap of all samples', [1, 5, 1, 1, 32 + 1 + 2, 0b11, 5]],
    ['a bitmap of no sample', [1, 5, 1, 1, 32 + 1 + 2, 0, 5]],
    ['a bitmap with bits beyond the samples', [1, 5, 1, 1, 32 + 1 + 2, 0b101, 5]],
    ['an unknown form of a field', [1, 5, 1, 1, 32 + 8, 5, 3, 0]],
    ['a multiple of 1,024 beyond 2^53', [1, 2, 1, 32 + 2 + 4, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeBlock(Uint8Array.from(bytes), T0)).toThrow(BlockError)
  })

  it('refuses a first instant that is no time', () => {
    for (const t0 of [Number.NaN, 0.5, 2 ** 53, 8.64e15 + 1])
      expect(() => decodeBlock(Uint8Array.of(1, 2, 0), t0)).toThrow(BlockError)
  })
})
