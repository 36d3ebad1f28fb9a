import { expect, test } from 'vitest'
import { answers } from './fixtures.ts'
import { physicalNames, toCounters, toFilesystems, toMemory } from './readings.ts'

const darwin = answers('darwin')
const windows = answers('win32')
const unread = answers('win32-unread')

test('used memory is total minus available, not total minus free [SAMPLE-05]', () => {
  expect(toMemory(darwin.mem)).toEqual({
    used_bytes: 8_589_934_592,
    total_bytes: 17_179_869_184,
    percent: 50,
    swap_used_bytes: 536_870_912,
    swap_total_bytes: 2_147_483_648,
    swap_percent: 25,
  })
  expect(toMemory(windows.mem)).toMatchObject({ used_bytes: 4_294_430_720, swap_percent: 10 })
  expect(toMemory({ ...windows.mem, swaptotal: 0, swapused: 0 })).not.toHaveProperty('swap_total_bytes')
})

test('drives are listed by letter, without empty drives', () => {
  expect(toFilesystems(windows.fsSize)).toEqual([
    { mount: 'C:', fs_type: 'NTFS', used_bytes: 34_091_302_912, total_bytes: 136_365_211_648, percent: 25 },
    { mount: 'D:', fs_type: 'ReFS', used_bytes: 910_000_000_000, total_bytes: 1_000_000_000_000, percent: 91 },
  ])
})

test('physical interfaces are listed, with the counters of those that were read', () => {
  expect(physicalNames(windows.networkInterfaces)).toEqual(['Ethernet'])
  expect([...toCounters(windows.networkStats)]).toEqual([['Ethernet', [6_000_000_000, 700_000_000, 2, 0]]])
  // An interface without a cable reports zeros.
  expect([...toCounters(darwin.networkStats).keys()]).toEqual(['en0', 'en1'])
})

test('values that the library could not read are absent, not 0 [SAMPLE-15]', () => {
  expect(toMemory(unread.mem)).toBeUndefined()
  expect(toFilesystems(unread.fsSize)).toBeUndefined()
  expect(toCounters(unread.networkStats).size).toBe(0)
  expect(physicalNames(unread.networkInterfaces)).toEqual([])
})
