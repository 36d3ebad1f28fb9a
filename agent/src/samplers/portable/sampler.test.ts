import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { type Answers, answers } from './fixtures.ts'
import type { SystemInformation } from './systeminformation.ts'
import { createPortableSampler } from './sampler.ts'

/** A sampler over a library with recorded answers; `made` is what was called. */
function samplerOver(platform: 'darwin' | 'win32', recorded: Answers, hangs: (name: string) => boolean = () => false) {
  const clock = new FakeClock()
  const made: string[] = []
  const answer = <T>(name: string, value: () => T): Promise<T> => {
    made.push(name)
    return hangs(name) ? new Promise(() => undefined) : Promise.resolve(value())
  }
  const library: SystemInformation = {
    mem: () => answer('mem', () => recorded.mem),
    fsSize: () => answer('fsSize', () => recorded.fsSize),
    networkInterfaces: () => answer('networkInterfaces', () => recorded.networkInterfaces),
    networkStats: (names) => answer(`networkStats ${names}`, () => recorded.networkStats),
    powerShellStart: () => void made.push('start'),
    powerShellRelease: () => void made.push('release'),
  }
  let loads = 0
  const load = () => {
    loads++
    return Promise.resolve(library)
  }
  const sampler = createPortableSampler({ clock, platform, load, names: () => ['lo0', 'en0', 'en1', 'utun3', 'awdl0'] })
  sampler.prime()
  const readings = async (count: number) => {
    const all = []
    for (let index = 0; index < count; index++) {
      await clock.advance(10_000)
      all.push(await sampler.read(30_000))
    }
    return all
  }
  return { sampler, made, readings, loads: () => loads }
}

describe('Windows', () => {
  test('uses one PowerShell once a minute and reports each result once', async () => {
    const recorded = answers('win32')
    const { sampler, made, readings } = samplerOver('win32', recorded)
    const first = await readings(18)
    recorded.networkStats = recorded.networkStats.map((stats) => ({ ...stats, rx_bytes: stats.rx_bytes + 6_000_000 }))
    const all = [...first, ...(await readings(6))]
    expect(made.filter((name) => name === 'start')).toHaveLength(1)
    expect(made.filter((name) => name === 'mem')).toHaveLength(4)
    expect(made.filter((name) => name === 'networkInterfaces')).toHaveLength(1)
    expect(made).toContain('networkStats Ethernet')
    expect(all.filter(({ filesystems }) => filesystems).map(({ values }) => values.disk)).toEqual(
      Array.from({ length: 4 }, () => ({ usage_percent: 91 })),
    )
    const rates = all.flatMap(({ values }) => values.network?.rx_bytes_per_sec ?? [])
    expect(rates).toContain(0)
    expect(rates).toContain(100_000)
    sampler.close()
    await Promise.resolve()
    expect(made.at(-1)).toBe('release')
  })

  test('has CPU and memory in every sample, and no load, disk rates or TCP', async () => {
    const { readings } = samplerOver('win32', answers('win32'))
    for (const { values } of await readings(8)) {
      expect(values.cpu).toHaveProperty('cores')
      expect(values.memory?.percent).toBeGreaterThan(0)
      for (const name of ['load_1', 'iowait_percent', 'steal_percent']) expect(values.cpu).not.toHaveProperty(name)
      expect(values.disk ?? {}).not.toHaveProperty('read_iops')
      expect(values).not.toHaveProperty('tcp')
    }
  })

  test('replaces a PowerShell that hangs, without delaying a sample', async () => {
    const { made, readings } = samplerOver('win32', answers('win32'), () => true)
    expect(await readings(30)).toHaveLength(30)
    expect(made.filter((name) => name === 'release').length).toBeGreaterThan(0)
    expect(made.filter((name) => name === 'start').length).toBeGreaterThan(1)
    expect(made.filter((name) => name === 'mem').length).toBeLessThan(4)
  })

  test('leaves out what could not be read instead of reporting 0 [SAMPLE-15]', async () => {
    const { readings } = samplerOver('win32', answers('win32-unread'))
    for (const { values, filesystems } of await readings(14)) {
      expect(values).not.toHaveProperty('network')
      expect(values).not.toHaveProperty('disk')
      expect(values.memory).not.toHaveProperty('swap_total_bytes')
      expect(filesystems).toBeUndefined()
    }
  })
})

test('macOS has the load in every sample, used memory once a minute, and starts no PowerShell', async () => {
  const { sampler, made, readings } = samplerOver('darwin', answers('darwin'))
  const all = await readings(13)
  expect(all.every(({ values }) => values.cpu?.load_1 !== undefined)).toBe(true)
  expect(all.filter(({ values }) => values.memory?.used_bytes === 8_589_934_592)).toHaveLength(2)
  sampler.close()
  expect(all.flatMap(({ values }) => values.network?.rx_bytes_per_sec ?? [])).toEqual([0])
  expect(new Set(made)).toEqual(new Set(['mem', 'networkStats en0,en1']))
})
