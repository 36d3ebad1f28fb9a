import { expect, test } from 'vitest'
import { FakeClock } from '../test/fake-clock.ts'
import { createMemoryTrimmer } from './memory-trimmer.ts'

test('garbage is collected a minute after the start and then every ten minutes', async () => {
  const clock = new FakeClock()
  let collections = 0
  const keep = createMemoryTrimmer(clock, (() => void collections++) as typeof globalThis.gc)
  const after = async (ms: number) => {
    await clock.advance(ms)
    keep()
    return collections
  }
  expect([await after(0), await after(59_999), await after(1), await after(599_999), await after(1), await after(1)]).toEqual([
    0, 0, 1, 1, 2, 2,
  ])
})
