import { describe, expect, it } from 'vitest'
import { createIds, createRandom } from './random.ts'
import { statusOf } from './reference.ts'

describe('the random numbers of a seed', () => {
  it('are the same each time, and others for another seed', () => {
    const some = (seed: number) => {
      const random = createRandom(seed)
      return Array.from({ length: 20 }, () => random.below(1_000))
    }
    expect(some(7)).toEqual(some(7))
    expect(some(7)).not.toEqual(some(8))
  })

  it('make ids that follow the time', () => {
    const ids = createIds(createRandom(1), () => 1_795_198_030_000)
    const [first, second] = [ids.ordered(), ids.ordered()]
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(first < second).toBe(true)
  })
})

it('the reference confirms a failure, and a recovery by two good checks', () => {
  const [up, down, inconclusive] = [0, 2, 3]
  expect(statusOf([], 1, 2)).toBe('up')
  expect(statusOf([up, down], 2, 2)).toBe('up')
  expect(statusOf([up, down, inconclusive, down], 2, 2)).toBe('down')
  expect(statusOf([down, up], 1, 2)).toBe('down')
  expect(statusOf([down, up, up], 1, 2)).toBe('up')
})
