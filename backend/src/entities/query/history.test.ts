import { expect, test } from 'vitest'
import { summaryOf } from './history.ts'

test('a year of readings has a summary', () => {
  const count = 400 * 1_440
  const atMs = Float64Array.from({ length: count }, (_, minute) => minute * 60_000)
  const values = Float64Array.from({ length: count }, (_, minute) => (minute === 7 ? 9_000 : 100))
  expect(summaryOf('container', { atMs, fieldIds: [2], values })['cpu_percent']).toMatchObject({ newest: 1, max: 90 })
})
