import { expect, it } from 'vitest'
import { mostSamples } from './entities-source.ts'

const DAY = 86_400_000
const seen = (...days: number[]) => days.map((day) => ({ entity: { first_seen: day * DAY } }))

it.each([
  ['a day of one that was always there', seen(0), 1_440],
  ['a day of each', seen(0, 1, 5), 3 * 1_440],
  ['half of it, where it is new', seen(9.5), 720],
  ['none, where it came later', seen(11), 0],
])('an entity has at most %s', (_, series, samples) => {
  expect(mostSamples(series, { fromMs: 9 * DAY, toMs: 10 * DAY }, 60)).toBe(samples)
})
