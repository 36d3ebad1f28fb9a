import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { createMemoryTrimmer } from './memory-trimmer.ts'

test('garbage is collected a minute after the start, and then each hour when the heap has grown', async () => {
  const clock = new FakeClock()
  let collections = 0
  let heapMb = 12
  const collect = () => {
    collections++
    heapMb = 9
  }
  const trim = createMemoryTrimmer(clock, collect as typeof globalThis.gc, () => heapMb * 1_048_576)
  const after = async (ms: number, mb: number) => {
    await clock.advance(ms)
    heapMb = mb
    trim()
    return collections
  }
  expect([await after(59_999, 12), await after(1, 12)]).toEqual([0, 1])
  const hour = 3_600_000
  expect([await after(hour - 1, 12), await after(1, 10.9), await after(hour - 1, 20), await after(1, 11)]).toEqual([1, 1, 1, 2])
})
