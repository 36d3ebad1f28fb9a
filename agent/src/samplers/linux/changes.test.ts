import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { fixturePath } from './fixtures.ts'
import { createLinuxSampler } from './sampler.ts'

const statfs = () => Promise.resolve({ bsize: 4096, blocks: 100, bfree: 50, bavail: 50 })
const disk = (name: string, sectors: number) => `   8 0 ${name} 10 0 ${sectors} 0 10 0 0 0 0 0 0\n`
const card = (name: string, bytes: number) => `${name}: ${bytes} 1 0 0 0 0 0 0 ${bytes} 1 0 0 0 0 0 0\n`

/** A host whose disks and cards are added, removed and reset between readings. */
describe('hot-plugged devices', () => {
  let root = ''
  let clock = new FakeClock()
  const put = (path: string, text: string) => writeFileSync(join(root, path), text)
  const plug = (folder: 'block' | 'class/net', name: string) => {
    mkdirSync(join(root, 'sys/devices/pci0', name, 'device'), { recursive: true })
    symlinkSync(join(root, 'sys/devices/pci0', name), join(root, 'sys', folder, name))
  }
  const open = () => createLinuxSampler(clock, { procRoot: join(root, 'proc'), sysRoot: join(root, 'sys'), statfs })
  const readAfter = async (sampler: ReturnType<typeof open>, ms: number) => {
    await clock.advance(ms)
    return (await sampler.read(30_000)).values
  }
  beforeEach(() => {
    clock = new FakeClock()
    root = mkdtempSync(join(tmpdir(), 'vedette-host-'))
    cpSync(fixturePath('recorded/proc'), join(root, 'proc'), { recursive: true })
    for (const folder of ['block', 'class/net']) mkdirSync(join(root, 'sys', folder), { recursive: true })
    plug('block', 'sda')
    plug('class/net', 'eth0')
    put('proc/diskstats', disk('sda', 0))
    put('proc/net/dev', card('eth0', 0))
  })

  test('count from their second reading on without affecting others', async () => {
    const sampler = open()
    sampler.prime()
    plug('block', 'sdb')
    plug('class/net', 'eth1')
    put('proc/diskstats', disk('sda', 1000) + disk('sdb', 5_000_000))
    put('proc/net/dev', card('eth0', 10_000) + card('eth1', 9_000_000))
    const first = await readAfter(sampler, 10_000)
    expect([first.disk?.read_throughput_bps, first.network?.rx_bytes_per_sec]).toEqual([51_200, 1_000])
    put('proc/diskstats', disk('sda', 2000) + disk('sdb', 5_001_000))
    put('proc/net/dev', card('eth0', 20_000) + card('eth1', 9_010_000))
    const second = await readAfter(sampler, 10_000)
    expect([second.disk?.read_throughput_bps, second.network?.rx_bytes_per_sec]).toEqual([102_400, 2_000])
    sampler.close()
  })

  test('leave the others unchanged when removed, and have a new baseline when they come back', async () => {
    plug('class/net', 'eth1')
    put('proc/net/dev', card('eth0', 0) + card('eth1', 5_000))
    const sampler = open()
    sampler.prime()
    rmSync(join(root, 'sys/class/net/eth1'))
    put('proc/net/dev', card('eth0', 10_000))
    expect((await readAfter(sampler, 10_000)).network?.rx_bytes_per_sec).toBe(1_000)
    plug('class/net', 'eth1')
    put('proc/net/dev', card('eth0', 20_000) + card('eth1', 400_000))
    expect((await readAfter(sampler, 10_000)).network?.rx_bytes_per_sec).toBe(1_000)
    sampler.close()
  })

  test.each([
    ['a counter of 32 bits that wraps', 4_294_967_000, 500],
    ['a card that is recreated between two readings', 50_000, 10],
  ])('%s gives no rate once, then rates', async (_, before, after) => {
    put('proc/net/dev', card('eth0', before))
    const sampler = open()
    sampler.prime()
    put('proc/net/dev', card('eth0', after))
    expect((await readAfter(sampler, 10_000)).network?.rx_bytes_per_sec).toBeUndefined()
    put('proc/net/dev', card('eth0', after + 10_000))
    expect((await readAfter(sampler, 10_000)).network?.rx_bytes_per_sec).toBe(1_000)
    sampler.close()
  })

  test('keep correct rates after a suspend, when the monotonic clock stood still', async () => {
    const sampler = open()
    sampler.prime()
    clock.setWall(8 * 3_600_000)
    put('proc/net/dev', card('eth0', 10_000))
    expect((await readAfter(sampler, 10_000)).network?.rx_bytes_per_sec).toBe(1_000)
    // A process that was stopped, and its host not: no rate over a time that hides what happened in it.
    put('proc/net/dev', card('eth0', 900_000))
    expect((await readAfter(sampler, 31_000)).network?.rx_bytes_per_sec).toBeUndefined()
    sampler.close()
  })
})
