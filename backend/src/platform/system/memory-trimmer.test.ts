import { expect, test } from 'vitest'
import { createMemoryTrimmer } from './memory-trimmer.ts'

test('memory is returned once the process rests, and again only after the heap has grown', () => {
  let [nowMs, cpuMs, heapMb, collections] = [0, 0, 80, 0]
  const collect = () => {
    collections += 1
    heapMb = 30
  }
  const trim = createMemoryTrimmer(() => nowMs, {
    cpuMs: () => cpuMs,
    heapBytes: () => heapMb * 1024 * 1024,
    collect: collect as typeof globalThis.gc,
  })
  const afterMinute = (usedMs: number, mb: number) => {
    nowMs += 60_000
    cpuMs += usedMs
    heapMb = mb
    trim()
    return collections
  }
  expect([afterMinute(1_300, 90), afterMinute(100, 80)]).toEqual([0, 1])
  expect([afterMinute(100, 40), afterMinute(30_000, 120), afterMinute(100, 120)]).toEqual([1, 1, 2])
})
