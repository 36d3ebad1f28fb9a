import { describe, expect, it } from 'vitest'
import { roundsOf, someOf } from '../test-rounds.ts'

describe('the rounds of a test', () => {
  it.each([
    [10, 1, 1],
    [10, 7, 7],
    [10, 1_000, 10],
    [10, 0, 1],
  ])('that asks for %i are, where %i are allowed, %i', (most, allowed, rounds) => {
    expect(roundsOf(most, allowed)).toBe(rounds)
  })
})

describe('the slow cases of a test', () => {
  const CASES = ['a', 'b', 'c', 'd']

  it('are as many as rounds are allowed, and all of them at night', () => {
    for (const [allowed, count] of [
      [1, 1],
      [3, 3],
      [1_000, 4],
    ] as const)
      expect(someOf(CASES, allowed, 2)).toHaveLength(count)
  })

  it('are each tried by some seed, in their order', () => {
    expect([0, 1, 2, 3].flatMap((seed) => someOf(CASES, 1, seed))).toEqual(CASES)
    expect(someOf(CASES, 2, 3)).toEqual(['a', 'd'])
  })
})
