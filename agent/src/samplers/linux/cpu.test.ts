import { describe, expect, test } from 'vitest'
import { CpuSampler, cpuPercents, type CpuTicks, parseLoadavg, parseStat } from './cpu.ts'
import { fixture } from './fixtures.ts'

const ticks = (changes: Partial<CpuTicks> = {}): CpuTicks => ({
  user: 1000,
  nice: 100,
  system: 500,
  idle: 8000,
  iowait: 200,
  irq: 10,
  softirq: 20,
  steal: 70,
  ...changes,
})

describe('parseStat', () => {
  test('reads the ticks and the number of processors of a recorded host', () => {
    const reading = parseStat(fixture('recorded/proc/stat'))
    expect(reading?.cores).toBe(2)
    expect(reading?.ticks.user).toBeGreaterThan(0)
    expect(reading?.ticks.idle).toBeGreaterThan(reading?.ticks.user ?? 0)
  })

  test.each([
    ['an empty file', ''],
    ['another file', 'MemTotal: 1 kB\n'],
    ['a line cut short', 'cpu 1 2\n'],
  ])('knows nothing from %s', (_, text) => expect(parseStat(text)).toBeUndefined())

  test('reads missing columns of old kernels as 0', () => {
    expect(parseStat('cpu  1 2 3 4\ncpu0 1 2 3 4\n')).toEqual({
      ticks: { user: 1, nice: 2, system: 3, idle: 4, iowait: 0, irq: 0, softirq: 0, steal: 0 },
      cores: 1,
    })
  })
})

describe('cpuPercents', () => {
  test('count idle and iowait as idle, steal as busy [SAMPLE-13]', () => {
    const now = ticks({ user: 1010, nice: 105, system: 505, irq: 12, softirq: 23, steal: 80, idle: 8045, iowait: 220 })
    expect(cpuPercents(ticks(), now)).toEqual({
      percent: 35,
      user_percent: 15,
      system_percent: 10,
      iowait_percent: 20,
      steal_percent: 10,
    })
  })

  test.each<[string, CpuTicks | undefined, CpuTicks]>([
    ['the first reading', undefined, ticks()],
    ['idle that went back: a processor was plugged', ticks(), ticks({ idle: 7000, user: 1100 })],
    ['a counter reset', ticks(), ticks({ user: 1, system: 1, idle: 9000 })],
    ['no time between', ticks(), ticks()],
  ])('%s gives no shares [SAMPLE-03, SAMPLE-04]', (_, before, now) => expect(cpuPercents(before, now)).toEqual({}))

  test('treat a small decrease of iowait as noise', () => {
    expect(cpuPercents(ticks(), ticks({ idle: 8050, user: 1050, iowait: 198 }))).toMatchObject({ percent: 50, iowait_percent: 0 })
  })

  test('are exactly 100 for a fully busy machine [SAMPLE-14]', () => {
    expect(cpuPercents(ticks(), ticks({ user: 1033, system: 533, steal: 103 }))).toMatchObject({ percent: 100 })
  })
})

test('the three load averages are read', () =>
  expect(parseLoadavg('0.50 1.25 12.00 1/86 5178\n')).toEqual({ load_1: 0.5, load_5: 1.25, load_15: 12 }))

describe('CpuSampler', () => {
  test('has percentages from the second reading on, and none after a gap [SAMPLE-03]', () => {
    const sampler = new CpuSampler()
    const stat = fixture('recorded/proc/stat')
    expect(sampler.read(stat, '1 2 3 x', 0, 30_000)).toEqual({ cores: 2, load_1: 1, load_5: 2, load_15: 3 })
    const second = sampler.read(fixture('recorded/stat-2s-later'), undefined, 2_000, 30_000)
    expect(second?.percent).toBeGreaterThanOrEqual(0)
    expect(second?.percent).toBeLessThanOrEqual(100)
    expect(sampler.read(fixture('recorded/stat-2s-later'), undefined, 40_000, 30_000)).toEqual({ cores: 2 })
  })

  test('leaves the fields of a missing file absent, and the group if both are missing [SAMPLE-15]', () => {
    expect(new CpuSampler().read(undefined, '1 2 3', 0, 1)).toEqual({ load_1: 1, load_5: 2, load_15: 3 })
    expect(new CpuSampler().read(undefined, undefined, 0, 1)).toBeUndefined()
  })
})
