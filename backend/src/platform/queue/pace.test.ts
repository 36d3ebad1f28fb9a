import { expect, it } from 'vitest'
import { createPace } from './pace.ts'

it('so many jobs begin in a minute, and as many in the next', () => {
  let nowMs = 59_000
  const pace = createPace({ now: () => nowMs }, 3)
  const taken = () => {
    let count = 0
    for (; pace.left() > 0; count += 1) pace.take()
    return count
  }
  expect([taken(), taken()]).toEqual([3, 0])
  nowMs += 1_000
  expect([taken(), taken()]).toEqual([3, 0])
})
