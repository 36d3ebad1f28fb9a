import * as fc from 'fast-check'
import { ENTITY_KIND_NAMES, type EntityKindName } from '@vedette/shared'
import { BlockError, type SampleColumns } from '@vedette/shared/metrics/block'
import { expect, test } from 'vitest'
import { decodeChunk, encodeChunk, joinColumns } from './chunk.ts'
import { fieldsOf, fromStored, toStored } from './fields.ts'
import { decodeReadings, encodeReadings, type Reading, valuesAt } from './readings.ts'

test('a value without a unit comes back with 15 significant digits', () => {
  const field = { scale: undefined }
  for (const value of [0, 1, -1, 0.1, 1e-300, 1e300, 123_456_789_012_345, -9.87654321e-7, 5e-324, 2 ** 53, Number.MAX_VALUE]) {
    const stored = toStored(field, value)
    expect(stored).toBeDefined()
    expect(fromStored(field, ...(stored as [number, number]))).toBe(Number(value.toPrecision(15)))
  }
  expect(toStored(field, Number.POSITIVE_INFINITY)).toBeUndefined()
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const [mantissa, exponent] = toStored(field, value) as [number, number]
      return Number.isSafeInteger(mantissa) && fromStored(field, mantissa, exponent) === Number(value.toPrecision(15)) + 0
    }),
  )
})

test('a value beyond what a column holds is none', () => {
  expect(toStored({ scale: 100 }, 2 ** 53)).toBeUndefined()
  expect(toStored({ scale: 100 }, 12.345)).toEqual([1235])
})

const kind = fc.constantFrom(...ENTITY_KIND_NAMES)
const readings = fc
  .uniqueArray(fc.record({ number: fc.integer({ min: 1, max: 100_000 }), kind }), {
    selector: ({ number }) => number,
    minLength: 1,
    maxLength: 30,
  })
  .chain((entities) =>
    fc.tuple(
      ...entities.map((entity) =>
        fc.array(fc.option(fc.integer({ min: -1_000, max: 1_000_000_000 })), { minLength: 16, maxLength: 16 }).map(
          (numbers): Reading => ({
            ...entity,
            values: Object.fromEntries(fieldsOf(entity.kind).map(({ name }, index) => [name, numbers[index] ?? null])),
          }),
        ),
      ),
    ),
  )

test('readings of all kinds come back, each by its number', () => {
  fc.assert(
    fc.property(readings, (given) => {
      const found = decodeReadings(encodeReadings(given))
      const back = new Map<number, object>()
      for (const [name, columns] of found)
        for (const [index, number] of columns.atMs.entries()) back.set(number, valuesAt(name, columns, index))
      for (const { number, values } of given) {
        const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
        expect(back.get(number)).toEqual(present)
      }
      expect(back.size).toBe(given.length)
    }),
    { numRuns: 100 },
  )
})

test('of one kind alone nothing else is decoded', () => {
  const reading = (number: number, name: EntityKindName): Reading => ({ number, kind: name, values: {} })
  const bytes = encodeReadings([reading(1, 'container'), reading(2, 'sensor')])
  expect([...decodeReadings(bytes, 'sensor').keys()]).toEqual(['sensor'])
})

test('any bytes are readings or are refused', () => {
  const whole = encodeReadings([{ number: 7, kind: 'container', values: { cpu_percent: 5, running: 1 } }])
  const changed = fc
    .tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length))
    .map(([at, byte, length]) => Buffer.from(whole.with(at, byte)).subarray(0, length))
  const isTaken = (bytes: Uint8Array): boolean => {
    try {
      decodeReadings(bytes)
    } catch (error) {
      return error instanceof BlockError
    }
    return true
  }
  expect(fc.sample(fc.oneof(changed, fc.uint8Array({ maxLength: 60 })), 2_000).every(isTaken)).toBe(true)
})

const columns = (at: readonly number[], values: readonly number[], id = 2): SampleColumns => ({
  atMs: Float64Array.from(at),
  fieldIds: [id],
  values: Float64Array.from(values),
})

test('a chunk comes back, with the wanted fields', () => {
  const two: SampleColumns = {
    atMs: Float64Array.of(1_763_661_600_000, 1_763_661_660_000),
    fieldIds: [2, 18],
    values: Float64Array.of(5, Number.NaN, 0, 1),
  }
  expect(decodeChunk(encodeChunk(two))).toEqual(two)
  expect(decodeChunk(encodeChunk(two), new Set([18]))).toEqual({ ...two, fieldIds: [18], values: Float64Array.of(0, 1) })
  expect(() => decodeChunk(Buffer.of(9))).toThrow(BlockError)
})

test('pieces are joined by instant, and of two readings at one the first stands', () => {
  const joined = joinColumns([columns([10, 30], [1, 3]), columns([20, 30], [2, 9]), columns([40], [4], 4)])
  expect(joined).toEqual({
    atMs: Float64Array.of(10, 20, 30, 40),
    fieldIds: [2, 4],
    values: Float64Array.of(1, 2, 3, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 4),
  })
})
