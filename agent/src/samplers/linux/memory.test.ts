import { expect, test } from 'vitest'
import { fixture } from './fixtures.ts'
import { memoryGroup, reclaimableArcBytes } from './memory.ts'

test('used is total minus available [SAMPLE-05]', () => {
  const text = 'MemTotal:  1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nSwapTotal: 200 kB\nSwapFree: 150 kB\n'
  expect(memoryGroup(text)).toEqual({
    used_bytes: 614_400,
    total_bytes: 1_024_000,
    percent: 60,
    swap_used_bytes: 51_200,
    swap_total_bytes: 204_800,
    swap_percent: 25,
  })
})

test('without MemAvailable, available memory is free, buffers, cache and reclaimable slab minus shared memory', () => {
  const available = 1_000_000 + 200_000 + 2_500_000 + 300_000 - 500_000
  expect(memoryGroup(fixture('constructed/meminfo-3.10'))).toMatchObject({
    used_bytes: (8_000_000 - available) * 1024,
    percent: 56.25,
    swap_percent: 25,
  })
})

test('a recorded host without swap uses 0 percent of it', () => {
  expect(memoryGroup(fixture('recorded/proc/meminfo'))).toMatchObject({
    swap_total_bytes: 0,
    swap_used_bytes: 0,
    swap_percent: 0,
  })
})

test.each([
  ['a missing file', undefined, undefined],
  ['an empty file', '', undefined],
  ['a file without the total', 'MemFree: 1 kB\n', undefined],
  ['more available than total', 'MemTotal: 1 kB\nMemAvailable: 2 kB\n', { used_bytes: 0, total_bytes: 1024, percent: 0 }],
])('%s', (_, text, group) => expect(memoryGroup(text)).toEqual(group))

test('reclaimable memory of the ZFS cache counts as available, down to its minimum size', () => {
  const text = 'MemTotal: 4000000 kB\nMemFree: 100 kB\nMemAvailable: 1000000 kB\n'
  const plain = memoryGroup(text)?.used_bytes ?? 0
  expect(reclaimableArcBytes(fixture('constructed/arcstats'))).toBe(1_500_000_000)
  expect(memoryGroup(text, fixture('constructed/arcstats'))?.used_bytes).toBe(plain - 1_500_000_000)
  expect(reclaimableArcBytes(undefined)).toBe(0)
  expect(reclaimableArcBytes('size 4 5\nc_min 4 50\n')).toBe(0)
})
