import { expect, test } from 'vitest'
import { FakeClock } from '../test/fake-clock.ts'
import { createMemoryKeeper } from './memory.ts'

test('collects a minute after the start and each ten minutes', async () => {
  const clock = new FakeClock()
  let collections = 0
  const keep = createMemoryKeeper(clock, (() => void collections++) as typeof globalThis.gc)
  const after = async (ms: number) => {
    await clock.advance(ms)
    keep()
    return collections
  }
  expect([await after(0), await after(59_999), await after(1), await after(599_999), await after(1), await after(1)]).toEqual([
    0, 0, 1, 1, 2, 2,
  ])
})
