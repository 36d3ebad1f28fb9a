import { describe, expect, test } from 'vitest'
import { parseStat } from './cpu.ts'
import { parseDiskstats } from './disk.ts'
import { fixture } from './fixtures.ts'
import { memoryGroup } from './memory.ts'
import { parseSnmpTcp } from './tcp.ts'

describe('the files of kernels of several ages', () => {
  test.each([
    ['diskstats-2.6', 'sda'],
    ['diskstats-4.18', 'sda'],
    ['diskstats-5.5', 'nvme0n1'],
  ])('%s: columns that came later change nothing', (file, disk) => {
    const disks = parseDiskstats(fixture(`constructed/${file}`), (name) => name === disk)
    expect(disks).toEqual(new Map([[disk, [1000, 2000, 80_000 * 512, 160_000 * 512]]]))
  })

  test('a partition of kernel 2.6 has four columns and is no disk', () =>
    expect(parseDiskstats(fixture('constructed/diskstats-2.6'), () => true).has('sda1')).toBe(false))

  test('guest time in stat is part of user time already', () =>
    expect(parseStat(fixture('constructed/stat-4.18'))).toMatchObject({ cores: 2, ticks: { user: 40_000, steal: 40 } }))

  test('huge pages in meminfo are counts, not sizes', () =>
    expect(memoryGroup(fixture('constructed/meminfo-4.18'))).toMatchObject({ percent: 50, swap_percent: 50 }))

  test('new columns at the end of snmp are ignored', () => {
    expect(parseSnmpTcp(fixture('constructed/snmp-6'))).toEqual({ established: 50, retransmits: 80, resets: 4 })
  })
})
