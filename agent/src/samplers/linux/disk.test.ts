import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DiskSampler, isPhysicalDisk, isDiskName, parseDiskstats } from './disk.ts'
import { fixture } from './fixtures.ts'

const LVM = fixture('constructed/diskstats-lvm')

test('reads, writes and bytes of each counted device are parsed', () => {
  expect(parseDiskstats(LVM, (name) => name === 'sda' || name === 'nvme0n1')).toEqual(
    new Map([
      ['sda', [1000, 2000, 80_000 * 512, 160_000 * 512]],
      ['nvme0n1', [3000, 4000, 240_000 * 512, 320_000 * 512]],
    ]),
  )
})

test('a truncated line and an empty file have no disks', () => {
  expect(parseDiskstats(LVM, (name) => name === 'sdb').size).toBe(0)
  expect(parseDiskstats('', () => true).size).toBe(0)
})

test.each([
  ['a disk', '../devices/pci0000:00/ata1/block/sda', false, true],
  ['a virtio disk', '../devices/pci0000:00/virtio1/block/vda', false, true],
  ['device-mapper', '../devices/virtual/block/dm-0', false, false],
  ['md over members', '../devices/virtual/block/md0', false, false],
  ['the multipath head of NVMe', '../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1', false, true],
  ['a hidden path of NVMe', '../devices/pci0000:00/nvme/nvme0/nvme0c0n1', true, false],
  ['a partition', undefined, false, false],
])('%s [SAMPLE-06]', (_, link, isHidden, counts) => expect(isPhysicalDisk(link, isHidden)).toBe(counts))

test.each([
  ['sda', true],
  ['sda1', false],
  ['vda', true],
  ['xvdf', true],
  ['nvme0n1', true],
  ['nvme0n1p1', false],
  ['mmcblk0', true],
  ['mmcblk0p1', false],
  ['dm-0', false],
  ['md0', false],
  ['loop0', false],
  ['zram0', false],
  ['ram1', false],
])('by name alone %s counts: %s', (name, counts) => expect(isDiskName(name)).toBe(counts))

describe('DiskSampler', () => {
  const sys = mkdtempSync(join(tmpdir(), 'vedette-sys-'))
  mkdirSync(join(sys, 'block'))
  for (const name of ['loop0', 'zram0', 'md0', 'dm-0']) symlinkSync(`../devices/virtual/block/${name}`, join(sys, 'block', name))
  for (const name of ['sda', 'nvme0n1', 'vda']) {
    mkdirSync(join(sys, 'devices/pci0', name), { recursive: true })
    symlinkSync(`../devices/pci0/${name}`, join(sys, 'block', name))
  }
  writeFileSync(join(sys, 'devices/pci0/vda/hidden'), '0\n')
  const later = LVM.replace('sda 1000 10 80000 500 2000 20 160000', 'sda 1030 10 80100 500 2020 20 160400').replace(
    'vda 11 0 88 1 22 0 176',
    'vda 21 0 98 1 22 0 176',
  )

  test('sums the whole physical disks without counting any twice [SAMPLE-06, SAMPLE-07]', () => {
    const sampler = new DiskSampler(sys)
    expect(sampler.read(LVM, 0, 30_000)).toEqual({})
    expect(sampler.read(later, 10_000, 30_000)).toEqual({
      read_iops: 4,
      write_iops: 2,
      read_throughput_bps: (110 * 512) / 10,
      write_throughput_bps: (400 * 512) / 10,
    })
  })

  test('selects disks by name without /sys', () => {
    const sampler = new DiskSampler(join(sys, 'nowhere'))
    sampler.read(LVM, 0, 30_000)
    expect(sampler.read(later, 10_000, 30_000).read_iops).toBe(4)
  })

  test('has no rate for a decreased counter, and a new disk does not affect others [SAMPLE-04]', () => {
    const sampler = new DiskSampler(sys)
    sampler.read(later, 0, 30_000)
    expect(sampler.read(LVM, 10_000, 30_000).read_iops).toBeUndefined()
    const without = LVM.split('\n')
      .filter((line) => !line.includes('nvme'))
      .join('\n')
    const other = new DiskSampler(sys)
    other.read(without, 0, 30_000)
    expect(other.read(later, 10_000, 30_000).read_iops).toBe(4)
  })

  test('has no rates without the file or without disks [SAMPLE-15]', () => {
    const sampler = new DiskSampler(sys)
    expect(sampler.read(undefined, 0, 1)).toEqual({})
    sampler.read('   7       0 loop0 0 0 0 0 0 0 0 0\n', 0, 30_000)
    expect(sampler.read('   7       0 loop0 9 0 9 0 9 0 9 0\n', 10_000, 30_000).read_iops).toBeUndefined()
  })
})
