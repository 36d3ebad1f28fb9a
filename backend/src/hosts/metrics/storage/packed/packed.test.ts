import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ALL_STORED, BlockError } from '@vedette/shared/metrics/block'
import { BitReader, BitWriter } from './bits.ts'
import { INSTANTS, pack, type Packed, type Part, readHead, readPart } from './index.ts'
import { BITS_OF, LEAST_OF, TOKENS, tokenOf } from './tokens.ts'

const unpack = ({ head, parts }: Packed): Part[] => {
  const read = readHead(head)
  return parts.map((bytes) => {
    const { count, ids, values } = readPart(read, bytes, 0, bytes.length, ALL_STORED)
    return { count, columns: new Map(ids.map((id, row) => [id, values.slice(row * count, (row + 1) * count)])) }
  })
}

/** Without columns that have no value in a part, which come back as none. */
const withValues = ({ count, columns }: Part): Part => ({
  count,
  columns: new Map([...columns].filter(([, values]) => values.some((value) => !Number.isNaN(value)))),
})
const idsOf = (parts: readonly Part[]): number[] =>
  [...new Set(parts.flatMap(({ columns }) => [...columns.keys()]))].sort((left, right) => left - right)

const shaped = fc.oneof(
  fc.constantFrom(0, 7, -3).map((value) => () => value),
  fc.integer({ min: 1, max: 2 ** 40 }).map((unit) => (next: number) => Math.floor(next * 9) * unit),
  fc.integer({ min: 1, max: 2 ** 20 }).map((width) => (next: number) => Math.floor(next * width) - (width >> 1)),
  fc.constant((next: number) => (next < 0.5 ? 0 : Math.floor(next * 1e9))),
  fc.constant((next: number) => Math.floor(next * Number.MAX_SAFE_INTEGER)),
)
const sizes = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 70 })), { minLength: 1, maxLength: 4 })
const parts = fc
  .tuple(
    sizes,
    fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 3_000 }), shaped, fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 6,
      selector: ([id]) => id,
    }),
    fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
  )
  .map(([counts, fields, stream]): Part[] => {
    const next = () => stream.next().value as number
    return counts.map((count) => ({
      count,
      columns: new Map(
        count === 0
          ? []
          : fields.map(([id, valueOf, absent]) => [
              id,
              Float64Array.from({ length: count }, () => (absent > 0.5 && next() < absent ? Number.NaN : valueOf(next()))),
            ]),
      ),
    }))
  })

describe('packed columns', () => {
  it('come back exactly, whatever the values, gaps and parts', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(unpack(pack(given, idsOf(given)))).toEqual(given.map(withValues))
      }),
      { numRuns: 200 },
    )
  })

  it('are read one part at a time, and the wanted columns alone', () => {
    const partOf = (start: number): Part => ({
      count: 3,
      columns: new Map([
        [INSTANTS, Float64Array.of(start, start + 10_001, start + 20_000)],
        [4, Float64Array.of(start, Number.NaN, 5)],
        [9, Float64Array.of(1_024, 2_048, 4_096)],
      ]),
    })
    const { head, parts: packed } = pack([partOf(0), partOf(70)], [INSTANTS, 4, 9])
    const second = packed[1] as Uint8Array
    const found = readPart(readHead(head), second, 0, second.length, new Set([9]))
    expect(found).toEqual({ count: 3, ids: [9], values: Float64Array.of(1_024, 2_048, 4_096) })
  })

  it('are read no further than the last wanted column', () => {
    const column = (id: number) => [id, Float64Array.from({ length: 40 }, (_, index) => (index * id * 7_919) % 1_000)] as const
    const { head, parts: packed } = pack([{ count: 40, columns: new Map([1, 2, 3].map(column)) }], [1, 2, 3])
    const part = packed[0] as Uint8Array
    const damaged = part.slice()
    damaged.fill(0xff, part.length - 20)
    const read = (wanted: number) => readPart(readHead(head), damaged, 0, damaged.length, new Set([wanted]))
    expect(read(1).values).toEqual(column(1)[1])
    expect(() => read(3)).toThrow(BlockError)
  })

  it('take the bits that the values need', () => {
    const count = 8_640
    let state = 1
    const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    // 256 equally likely values, in thousands, and a column that is nearly always 0.
    const noise = Float64Array.from({ length: count }, () => 1_000 * Math.floor(next() * 256))
    const rare = Float64Array.from({ length: count }, () => (next() < 0.02 ? 1 : 0))
    const { head, parts: packed } = pack(
      [
        {
          count,
          columns: new Map([
            [1, noise],
            [2, rare],
          ]),
        },
      ],
      [1, 2],
    )
    const bits = 8 * (head.length + (packed[0] as Uint8Array).length)
    expect(bits / count).toBeLessThan(1.02 * (8 + 0.1414))
  })

  it.each([[[0.5]], [[2 ** 53]], [[-(2 ** 52), 2 ** 52]]])('refuse %j', (values) => {
    const part = { count: values.length, columns: new Map([[1, Float64Array.from(values)]]) }
    expect(() => pack([part], [1])).toThrow(RangeError)
  })

  const sample = pack(
    [{ count: 40, columns: new Map([[1, Float64Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? Number.NaN : n * n))]]) }],
    [1],
  )
  const bytes = Buffer.concat([sample.head, ...sample.parts])
  const isRead = (given: Uint8Array): boolean => {
    try {
      const head = readHead(given)
      readPart(head, given, head.end, given.length, ALL_STORED)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(BlockError)
      return false
    }
  }

  it('are refused when they are cut off', () => {
    // Nothing after the head is a part without samples.
    const cuts = [...bytes.keys()].filter((length) => length !== sample.head.length)
    expect(cuts.filter((length) => isRead(bytes.subarray(0, length)))).toEqual([])
  })

  it('are refused, or read, whatever bytes there are', () => {
    const changed = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
      const other = Buffer.from(bytes)
      other[at] = byte
      return other
    })
    const any = fc.uint8Array({ maxLength: 60 }).map((rest) => Uint8Array.of(1, 8, 1, ...rest))
    fc.assert(
      fc.property(fc.oneof(changed, any), (given) => {
        expect(typeof isRead(given)).toBe('boolean')
      }),
      { numRuns: 500 },
    )
  })
})

describe('tokens and bits', () => {
  it('give every number back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.nat(40)), { maxLength: 20 }), (given) => {
        const tokens = Uint8Array.from(given, tokenOf)
        const writer = new BitWriter()
        writer.writeNumbers(tokens, given, 0, given.length)
        const bytes = writer.take()
        const numbers = new Float64Array(given.length)
        const reader = new BitReader(bytes, 0, bytes.length)
        reader.readNumbers(tokens, numbers, given.length)
        expect([[...numbers], reader.end()]).toEqual([given, bytes.length])
      }),
    )
  })

  it('are in order, without a gap', () => {
    for (let token = 1; token < TOKENS; token += 1)
      expect(LEAST_OF[token]).toBe((LEAST_OF[token - 1] as number) + 2 ** (BITS_OF[token - 1] as number))
  })
})
