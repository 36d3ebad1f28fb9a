import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isMissing } from '../../../../scripts/test-tools.ts'
import { startSystemd } from '../../../test/own-systemd.ts'
import { tree } from '../../../test/tree.ts'
import { systemClock } from '../../process/clock.ts'
import type { EntityReading } from '../source.ts'
import { createCgroupReader } from './cgroup.ts'
import { UnitSource } from './source.ts'

describe.skipIf(isMissing('root', 'unshare', 'dbus-daemon', 'systemctl'))('of a running systemd', () => {
  let systemd: Awaited<ReturnType<typeof startSystemd>>
  beforeAll(async () => {
    systemd = await startSystemd(
      {
        'good.service': '[Unit]\nDescription=Works\n[Service]\nExecStart=/bin/sleep 1000\n',
        'loop.service': '[Service]\nExecStart=/bin/false\nRestart=on-failure\nRestartSec=1ms\n[Unit]\nStartLimitBurst=3\n',
        'job.service': '[Service]\nType=oneshot\nExecStart=/bin/false\n',
        'job.timer': '[Timer]\nOnActiveSec=0\nOnUnitInactiveSec=1h\nAccuracySec=1ms\n',
        'nightly.service': '[Service]\nType=oneshot\nExecStart=/bin/true\n',
        'nightly.timer': '[Timer]\nOnCalendar=daily\n',
        'ni-1@x.timer': '[Timer]\nOnCalendar=2001-01-01\nUnit=nightly.service\n',
      },
      ['good.service', 'loop.service', 'job.timer', 'nightly.timer', 'ni-1@x.timer'],
    )
  }, 30_000)
  afterAll(() => systemd.stop())

  const sourceOf = (...patterns: string[]) => new UnitSource(systemClock, patterns, systemd)
  const readUntil = (patterns: string[], isThere: (units: EntityReading[]) => boolean) =>
    vi.waitFor(
      async () => {
        const units = await sourceOf(...patterns).read(1)
        if (!isThere(units)) throw new Error(JSON.stringify(units))
        return units
      },
      { timeout: 10_000, interval: 50 },
    )

  test('a service that runs has its state and what its cgroup uses', async () => {
    const source = sourceOf('good')
    for (const time of ['first', 'second']) {
      const [unit] = await source.read(1)
      expect([time, unit]).toMatchObject([
        time,
        {
          kind: 'unit',
          name: 'good.service',
          values: { running: 1, failed: 0, restarts: 0, tasks: 1 },
          attributes: { state: 'active', sub_state: 'running', description: 'Works' },
        },
      ])
      expect(unit?.values['memory_bytes']).toBeGreaterThan(0)
    }
  })

  test('a service that fails again and again has its restarts and its last result', async () => {
    const [unit] = await readUntil(['loop.service'], ([loop]) => loop?.values['failed'] === 1)
    expect(unit).toMatchObject({ values: { running: 0, failed: 1, restarts: 3 }, attributes: { last_result: 'exit-code' } })
  })

  test('a timer has its times, and the result of its service once that ran', async () => {
    const units = await readUntil(['*.timer'], ([job]) => job?.values['last_run_succeeded'] === 0)
    expect(units.map(({ name }) => name)).toEqual(['job.timer', 'ni-1@x.timer', 'nightly.timer'])
    const [job, , nightly] = units
    const runAtMs = Date.parse(job?.attributes?.['last_run_at'] ?? '')
    expect(Math.abs(Date.now() - runAtMs)).toBeLessThan(60_000)
    expect(Date.parse(job?.attributes?.['next_run_at'] ?? '') - runAtMs).toBeGreaterThan(3_590_000)
    expect(nightly?.values).toEqual({ running: 1, failed: 0 })
    expect(Date.parse(nightly?.attributes?.['next_run_at'] ?? '')).toBeGreaterThan(Date.now())
  })

  test('a name that is not loaded does not run, and a pattern without a match is empty', async () => {
    expect(await sourceOf('nginx', 'no-such-*').read(1)).toEqual([
      { kind: 'unit', name: 'nginx.service', values: { running: 0, failed: 0 }, attributes: { state: 'not loaded' } },
    ])
  })
})

test('a host without systemd, and a bus that is away, are faults', async () => {
  const root = tree({})
  await expect(new UnitSource(systemClock, ['a'], { root }).read(1)).rejects.toThrow('systemd does not run here')
  mkdirSync(`${root}/run/systemd/system`, { recursive: true })
  await expect(new UnitSource(systemClock, ['a'], { root }).read(1)).rejects.toThrow('the system bus does not answer')
})

describe('the figures of a cgroup', () => {
  test('of version 2', () => {
    const root = tree({
      'fs/cgroup/cgroup.controllers': 'cpu memory\n',
      'fs/cgroup/system.slice/a.service/cpu.stat': 'usage_usec 2500\nuser_usec 2000\n',
      'fs/cgroup/system.slice/a.service/memory.current': '5000\n',
      'fs/cgroup/system.slice/a.service/memory.stat': 'anon 1000\ninactive_file 1500\n',
      'fs/cgroup/system.slice/a.service/pids.current': '7\n',
    })
    expect(createCgroupReader(root)('/system.slice/a.service')).toMatchObject({
      cpuMicroseconds: 2500,
      memoryBytes: 3500,
      tasks: 7,
    })
  })

  test('of version 1, where each controller has a folder of its own', () => {
    const root = tree({
      'fs/cgroup/cpuacct/system.slice/a.service/cpuacct.usage': '2500000\n',
      'fs/cgroup/memory/system.slice/a.service/memory.usage_in_bytes': '5000\n',
      'fs/cgroup/memory/system.slice/a.service/memory.stat': 'inactive_file 1\ntotal_inactive_file 1500\n',
    })
    expect(createCgroupReader(root)('/system.slice/a.service')).toMatchObject({
      cpuMicroseconds: 2500,
      memoryBytes: 3500,
      tasks: undefined,
    })
    expect(createCgroupReader(root)('/gone').inode).toBeUndefined()
  })
})
