import { expect, test } from 'vitest'
import type { QueryResult } from '../model/types.ts'
import { formatDecimal, formatInstant, formatNumber } from '../model/numbers.ts'
import { writeResult } from './write.ts'

test.each([
  [0, '0', '0'],
  [-0, '-0', '-0'],
  [1.5, '1.5', '1.5'],
  [NaN, 'NaN', 'NaN'],
  [Infinity, '+Inf', '+Inf'],
  [-Infinity, '-Inf', '-Inf'],
  [1e20, '100000000000000000000', '100000000000000000000'],
  [1e21, '1e+21', '1000000000000000000000'],
  [-1.25e22, '-1.25e+22', '-12500000000000000000000'],
  [0.000001, '0.000001', '0.000001'],
  [1.5e-7, '1.5e-07', '0.00000015'],
  [5e-324, '5e-324', `0.${'0'.repeat(323)}5`],
])('%d is written as %s, and without an exponent as %s', (value, short, decimal) => {
  expect([formatNumber(value), formatDecimal(value)]).toEqual([short, decimal])
})

test.each([
  [0, '0'],
  [1_767_225_600_000, '1767225600'],
  [1_500, '1.500'],
  [-1_007, '-1.007'],
])('%d ms are %s s', (atMs, text) => {
  expect(formatInstant(atMs)).toBe(text)
})

const base = { warnings: [], infos: [], samplesRead: 0 }
const write = (result: QueryResult, extras = {}): unknown => JSON.parse([...writeResult(result, extras)].join(''))

test('a matrix has the present steps of its series, and an answer its warnings', () => {
  const series = [{ labels: { a: 'ü"' }, values: Float64Array.of(1, 2, NaN), present: Uint8Array.of(1, 0, 1) }]
  const result: QueryResult = { ...base, infos: ['own'], resultType: 'matrix', startMs: 0, stepMs: 1_500, series }
  expect(write(result, { warnings: ['of the reader'], stats: { samples: 3 } })).toEqual({
    status: 'success',
    data: {
      resultType: 'matrix',
      result: [
        {
          metric: { a: 'ü"' },
          values: [
            [0, '1'],
            [3, 'NaN'],
          ],
        },
      ],
      stats: { samples: 3 },
    },
    warnings: ['of the reader'],
    infos: ['own'],
  })
})

test('a vector, a scalar, a string and samples have their forms', () => {
  const one = { labels: {}, values: Float64Array.of(7), present: Uint8Array.of(1) }
  expect(write({ ...base, resultType: 'vector', atMs: 1_000, series: [one, one] })).toMatchObject({
    data: { resultType: 'vector', result: [{ metric: {}, value: [1, '7'] }, { value: [1, '7'] }] },
  })
  expect(write({ ...base, resultType: 'scalar', atMs: 1_000, value: -Infinity })).toMatchObject({ data: { result: [1, '-Inf'] } })
  expect(write({ ...base, resultType: 'string', atMs: 1_000, value: 'text' })).toMatchObject({ data: { result: [1, 'text'] } })
  const samples = [{ labels: {}, atMs: Float64Array.of(1, 2_000), values: Float64Array.of(3, 4) }]
  expect(write({ ...base, resultType: 'matrix', samples })).toMatchObject({
    data: {
      result: [
        {
          values: [
            [0.001, '3'],
            [2, '4'],
          ],
        },
      ],
    },
  })
})

test('a long answer comes in pieces', () => {
  const series = Array.from({ length: 100 }, () => ({
    labels: {},
    values: new Float64Array(1_000),
    present: new Uint8Array(1_000).fill(1),
  }))
  const pieces = [...writeResult({ ...base, resultType: 'matrix', startMs: 0, stepMs: 1_000, series })]
  expect(pieces.length).toBeGreaterThan(10)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000)
})
