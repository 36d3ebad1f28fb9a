import fc from 'fast-check'
import { ALL_FIELDS, UNIT_DECIMALS } from '@vedette/shared/metrics/fields'
import { expect, test } from 'vitest'
import { decodeSample, encodeSample } from './sample-codec.ts'

/** Values as samplers give them: in the wire's precision. */
const values = fc
  .tuple(...ALL_FIELDS.map(({ unit }) => fc.option(fc.integer({ min: 0, max: 1e12 }).map((n) => n / 10 ** UNIT_DECIMALS[unit]))))
  .map((numbers) => {
    const groups: Record<string, Record<string, number>> = {}
    ALL_FIELDS.forEach(({ group, name }, index) => {
      const value = numbers[index]
      if (typeof value === 'number') (groups[group] ??= {})[name] = value
    })
    return groups
  })

test('every field is decoded to its last digit', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: -(2 ** 43), max: 2 ** 43 }), values, (number, atMs, groups) => {
      expect(decodeSample(encodeSample({ number, atMs, values: groups }))).toEqual({ number, atMs, values: groups })
    }),
  )
})

test('absent, null and non-numeric values stay absent', () => {
  const sample = { number: 0, atMs: 0, values: { cpu: { percent: null, cores: 2 }, memory: { used_bytes: 2 ** 60 } } }
  expect(decodeSample(encodeSample(sample))?.values).toEqual({ cpu: { cores: 2 } })
})

test('a sample takes about 100 bytes', () => {
  const full = Object.groupBy(ALL_FIELDS, ({ group }) => group)
  const groups = Object.fromEntries(
    Object.entries(full).map(([group, fields]) => [group, Object.fromEntries(fields.map(({ name }) => [name, 1234.56]))]),
  )
  expect(encodeSample({ number: 500, atMs: 1_795_000_000_000, values: groups }).length).toBeLessThan(130)
})

test('arbitrary bytes decode to undefined or a sample, without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(Number.isFinite(decodeSample(Buffer.from(bytes))?.atMs ?? 0)).toBe(true)
    }),
  )
  expect(decodeSample(Buffer.alloc(0))).toBeUndefined()
})
