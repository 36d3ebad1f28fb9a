import { DAY_MS, HEALTH_CODES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { DECLARATIONS } from './declarations.ts'
import type { Finding, HealthMemory } from '../servers/index.ts'
import { deriveHealth } from './derive.ts'
import type { Thing, ThingKind } from './thing.ts'

const START = Date.UTC(2026, 10, 2)
const MINUTE_MS = 60_000
const GIB = 2 ** 30

const thing = (
  kind: ThingKind,
  name: string,
  values: Thing['values'],
  attributes: Thing['attributes'] = {},
  entityId: string | null = null,
): Thing => ({ kind, name, values, attributes, entityId })

/** The findings of a host after it has been so for an hour, measured each minute. */
function findingsOf(...things: Thing[]): readonly Finding[] {
  let before: HealthMemory = { held: {}, counters: {} }
  let findings: readonly Finding[] = []
  for (let minute = 0; minute <= 60; minute += 1) {
    const health = deriveHealth({ atMs: START + minute * MINUTE_MS, things, before })
    ;[before, findings] = [health.memory, health.findings]
  }
  return findings
}

const ups = { type: 'ups' }
const full = (percent: number, total = 100 * GIB, type = 'ext4', name = '/var') =>
  thing('filesystem', name, { percent, total_bytes: total }, { fs_type: type })

describe('a finding', () => {
  it.each<[string, Thing, string]>([
    ['disk_failing', thing('disk', 'sda', { healthy: 0 }), 'Disk sda reports that it is failing'],
    [
      'disk_failing',
      thing('disk', 'sda', { healthy: 1, reallocated_sectors: 312 }),
      'Disk sda has 312 reallocated sectors (limit 50)',
    ],
    ['disk_failing', thing('disk', 'sda', { pending_sectors: 16 }), 'Disk sda has 16 sectors that it cannot read (limit 10)'],
    ['disk_failing', thing('disk', 'nvme0', { media_errors: 12 }), 'Disk nvme0 has counted 12 media errors (limit 10)'],
    ['disk_worn', thing('disk', 'nvme0', { used_percent: 97 }), 'Disk nvme0 has used 97 % of its rated life (limit 90 %)'],
    ['disk_worn', thing('disk', 'nvme0', { spare_percent: 5 }), 'Disk nvme0 has 5 % of its spare blocks left (limit 10 %)'],
    [
      'array_degraded',
      thing('array', 'md0', { healthy: 0, failed_devices: 1, devices: 2 }, { type: 'md' }),
      'Array md0 is degraded: 1 of 2 devices are missing',
    ],
    ['pool_degraded', thing('array', 'tank', { healthy: 0 }, { type: 'zfs', state: 'degraded' }), 'Pool tank is degraded'],
    [
      'pool_degraded',
      thing('array', 'data', { healthy: 0, failed_devices: 0, errors: 3 }, { type: 'btrfs', state: 'online' }),
      'Pool data has counted 3 errors',
    ],
    ['filesystem_full', full(97.4), '/var is 97 % full (limit 95 %)'],
    ['inodes_full', thing('filesystem', '/', { inodes_percent: 99 }), '/ has used 99 % of its inodes (limit 95 %)'],
    ['unit_failed', thing('unit', 'nginx.service', { failed: 1 }), 'Unit nginx.service has failed'],
    [
      'container_oom',
      thing('container', 'shop/web', { running: 1, out_of_memory_day: 2 }),
      'Container shop/web was killed for lack of memory 2 times in the last 24 hours',
    ],
    ['container_unhealthy', thing('container', 'db', { running: 1, healthy: 0 }), 'The health check of container db fails'],
    [
      'container_restarting',
      thing('container', 'api', { running: 1, deaths_quarter: 4, exit_code: 1 }),
      'Container api restarts: it ended 4 times in 15 minutes, exit code 1',
    ],
    [
      'container_exited',
      thing('container', 'api', { running: 0, deaths_day: 1, exit_code: 2, last_run_seconds: 90_000 }),
      'Container api has ended and does not run, exit code 2',
    ],
    [
      'temperature_critical',
      thing('sensor', 'coretemp Package id 0', { temperature_celsius: 101, critical_celsius: 100 }),
      'coretemp Package id 0 is at 101 °C (critical limit 100 °C)',
    ],
    [
      'memory_errors',
      thing('memory', 'mc0', { uncorrected_errors: 1 }),
      'Memory mc0 has counted 1 uncorrected error since the start',
    ],
    [
      'memory_errors',
      thing('memory', 'mc0', { corrected_errors_per_day: 450 }),
      'Memory mc0 corrects 450 errors a day (limit 100)',
    ],
    [
      'ups_on_battery',
      thing('battery', 'rack', { on_battery: 1, charge_percent: 83 }, ups),
      'UPS rack runs on battery, which is at 83 %',
    ],
    ['battery_low', thing('battery', 'rack', { on_battery: 0, low_battery: 1 }, ups), 'The battery of UPS rack is low'],
    ['pressure', thing('pressure', 'memory', { full_percent: 40 }), 'All tasks wait for memory 40 % of the time (limit 25 %)'],
    [
      'kernel_limit',
      thing('limit', 'conntrack', { percent: 93 }),
      "The kernel's connection tracking table is 93 % full (limit 90 %)",
    ],
    ['security_updates', thing('updates', 'apt', { security: 3, pending: 9 }), '3 security updates of apt are pending'],
    ['reboot_required', thing('host', 'host', { reboot_required: 1 }), 'An update needs a restart of the host'],
    ['clock_off', thing('host', 'host', { clock_offset_seconds: 95 }), 'The clock is 95 s off (limit 30 s)'],
    [
      'samples_dropped',
      thing('agent', 'agent', { dropped_samples: 120 }),
      'The agent dropped samples that it could not deliver: 120 since its installation',
    ],
    [
      'fills_soon',
      thing('filesystem', '/srv', { percent: 80, days_until_full: 4.2 }),
      '/srv is full in 4.2 days if it grows as it did',
    ],
  ])('%s says what it is, with value and limit', (code, measured, text) => {
    expect(findingsOf(measured).map((finding) => [finding.code, finding.text])).toEqual([[code, text]])
  })

  it('of every code is declared', () => {
    expect(new Set(DECLARATIONS.map(({ code }) => code))).toEqual(new Set(HEALTH_CODES))
  })

  it('carries value, limit and field, the mount of a filesystem, and neither value nor limit of a flag', () => {
    const disk = thing('disk', 'sda', { reallocated_sectors: 60 }, {}, 'id-of-sda')
    expect(findingsOf(disk)[0]).toMatchObject({ value: 60, limit: 50, field: 'reallocated_sectors', entityId: 'id-of-sda' })
    expect(findingsOf(full(99))[0]).toMatchObject({ value: 99, limit: 95, field: '/var', entityId: null })
    expect(findingsOf(thing('unit', 'a', { failed: 1 }))[0]).toMatchObject({ value: null, limit: null, field: 'failed' })
  })
})

describe('there is no finding', () => {
  it.each<[string, Thing]>([
    ['of nothing measured', thing('disk', 'sda', {})],
    ['of a value that is no number', thing('disk', 'sda', { reallocated_sectors: Number.NaN })],
    ['of a register that is misread', thing('disk', 'sda', { reallocated_sectors: 4_294_967_295 })],
    ['of some reallocated sectors', thing('disk', 'sda', { healthy: 1, reallocated_sectors: 8, pending_sectors: 1 })],
    ['of a disk that does not know its wear', thing('disk', 'nvme0', { used_percent: 255, spare_percent: 0 })],
    ['of a snap', full(100, 64 * 2 ** 20, 'squashfs', '/snap/core/1')],
    ['of a medium', full(100, 4 * GIB, 'iso9660', '/mnt/cd')],
    ['of an opened disk image', full(100, 1 * GIB, 'hfs', '/Volumes/Installer')],
    ['of a large filesystem with much left', full(97, 14_000 * GIB)],
    ['of a filesystem without a size', thing('filesystem', '/', { percent: 100 })],
    ['of a sensor with a limit of 0', thing('sensor', 'a', { temperature_celsius: 60, critical_celsius: 0 })],
    ['of a sensor with a limit of 127', thing('sensor', 'a', { temperature_celsius: 127.5, critical_celsius: 127 })],
    ['of a sensor without a limit', thing('sensor', 'a', { temperature_celsius: 99 })],
    ['of a sensor that cannot be right', thing('sensor', 'a', { temperature_celsius: 255, critical_celsius: 100 })],
    ['of a laptop on battery', thing('battery', 'BAT0', { on_battery: 1, charge_percent: 4 }, { type: 'battery' })],
    ['of a mouse', thing('battery', 'hidpp_battery_0', { on_battery: 1, charge_percent: 5 }, { type: 'device' })],
    ['of a UPS that charges', thing('battery', 'rack', { on_battery: 0, charge_percent: 10, low_battery: 0 }, ups)],
    ['of a container that was stopped', thing('container', 'a', { running: 0, exit_code: 143, last_run_seconds: 90_000 })],
    ['of a job that failed', thing('container', 'ci', { running: 0, exit_code: 1, deaths_day: 1, last_run_seconds: 300 })],
    ['of a check of a stopped container', thing('container', 'a', { running: 0, healthy: 0 })],
    ['of pressure on the processor and the disks', thing('pressure', 'cpu', { some_percent: 99, full_percent: 90 })],
    ['of errors that memory corrects at times', thing('memory', 'mc0', { corrected_errors_per_day: 2, uncorrected_errors: 0 })],
    ['of a disk that is in use up to now', thing('filesystem', '/', { percent: 60, days_until_full: 90, total_bytes: GIB })],
  ])('%s', (_, measured) => {
    expect(findingsOf(measured)).toEqual([])
  })
})

/** Derives the health of one thing whose value changes, each minute, and says in which minutes it is a finding. */
function minutesWith(values: readonly number[], of: (value: number) => Thing, known = true): number[] {
  let before: HealthMemory | undefined = known ? { held: {}, counters: {} } : undefined
  return values.flatMap((value, minute) => {
    const health = deriveHealth({ atMs: START + minute * MINUTE_MS, things: [of(value)], before })
    before = health.memory
    return health.findings.length > 0 ? [minute] : []
  })
}

describe('over time', () => {
  it('a finding keeps the instant at which it began, across the memory as it is stored', () => {
    const first = deriveHealth({ atMs: START, things: [full(99)], before: undefined })
    const stored = JSON.parse(JSON.stringify(first.memory)) as HealthMemory
    const later = deriveHealth({ atMs: START + DAY_MS, things: [full(98)], before: stored })
    expect(later.findings[0]).toMatchObject({ sinceMs: START, value: 98 })
    const gone = deriveHealth({ atMs: START + DAY_MS, things: [full(50)], before: later.memory })
    expect(gone).toEqual({ status: 'ok', findings: [], memory: { held: {}, counters: {} } })
  })

  it('a value that swings around its limit is one finding', () => {
    expect(minutesWith([94, 95, 94.5, 95.5, 94.1, 93.9, 94.5], full)).toEqual([1, 2, 3, 4])
  })

  it('what needs a duration is a finding after it, since its begin', () => {
    const onBattery = (value: number) => thing('battery', 'rack', { on_battery: value }, ups)
    expect(minutesWith([1, 0, 1, 1, 1, 0], onBattery)).toEqual([3, 4])
    const memory: HealthMemory = { held: { 'ups_on_battery on_battery rack': { sinceMs: START, isOpen: false } }, counters: {} }
    const { findings } = deriveHealth({ atMs: START + MINUTE_MS, things: [onBattery(1)], before: memory })
    expect(findings[0]?.sinceMs).toBe(START)
  })

  it('growth of a counter is a finding for a day, and what it counted before the first look is none', () => {
    const dropped = (value: number) => thing('agent', 'agent', { dropped_samples: value })
    expect(minutesWith([500, 500, 500], dropped, false)).toEqual([])
    expect(minutesWith([500, 500, 501], dropped, false)).toEqual([2])
    expect(minutesWith([0, 1, 1], dropped, false)).toEqual([1, 2])
    const grew: HealthMemory = { held: {}, counters: { 'samples_dropped dropped_samples agent': { value: 7, grewMs: START } } }
    const at = (atMs: number) => deriveHealth({ atMs, things: [dropped(7)], before: grew }).findings.length
    expect([at(START + DAY_MS - 1), at(START + DAY_MS)]).toEqual([1, 0])
  })

  it('a clock that went back changes no begin', () => {
    const before = deriveHealth({ atMs: START, things: [full(99)], before: undefined }).memory
    expect(deriveHealth({ atMs: START - DAY_MS, things: [full(99)], before }).findings[0]?.sinceMs).toBe(START - DAY_MS)
  })
})

describe('a source that is missing', () => {
  const minutes = (count: number) => START + count * MINUTE_MS
  const healthy = thing('host', 'host', { reboot_required: 0 })
  /** The findings after each minute: things that were read, or `undefined` where their source was missing. */
  const codesOf = (...reads: (Thing[] | undefined)[]) => {
    let before: HealthMemory | undefined
    return reads.map((things, minute) => {
      const health = deriveHealth({ atMs: minutes(minute), things: things ?? [healthy], before })
      before = JSON.parse(JSON.stringify(health.memory)) as HealthMemory
      return health.findings.map(({ code, sinceMs }) => `${code} ${(sinceMs - START) / MINUTE_MS}`).join()
    })
  }

  // One of each declaration, with a value that is a finding at once or after its duration.
  it.each(DECLARATIONS.map((declaration) => [declaration.code, declaration.field, declaration] as const))(
    'leaves %s by %s for a quarter of an hour, and no longer',
    (code, field, declaration) => {
      const key = `${code} ${field} it`
      const finding: Finding = {
        code,
        severity: 'warning',
        text: 'x',
        sinceMs: START,
        entityId: null,
        field,
        value: null,
        limit: null,
      }
      let before: HealthMemory = { held: { [key]: { sinceMs: START, isOpen: true, finding } }, counters: {} }
      const shown = Array.from({ length: 17 }, (_, minute) => {
        const health = deriveHealth({ atMs: minutes(minute), things: [], before })
        before = health.memory
        return health.findings.length
      })
      expect(shown).toEqual([...Array.from({ length: 15 }, () => 1), 0, 0])
      expect(before.held).toEqual({})
      // A kind that was read without the thing: what is listed as a whole is gone; another one did not answer.
      const read = new Set([declaration.kind])
      const after = deriveHealth({
        atMs: START,
        things: [],
        read,
        before: { held: { [key]: { sinceMs: START, isOpen: true, finding } }, counters: {} },
      })
      expect(after.findings).toHaveLength(['filesystem', 'container', 'unit'].includes(declaration.kind) ? 0 : 1)
    },
  )

  it('keeps the begin, and ends with the first reading that is well', () => {
    const failing = [thing('disk', 'sda', { healthy: 0 })]
    const well = [thing('disk', 'sda', { healthy: 1 })]
    expect(codesOf(failing, undefined, failing, undefined, well)).toEqual([
      'disk_failing 0',
      'disk_failing 0',
      'disk_failing 0',
      'disk_failing 0',
      '',
    ])
    expect(codesOf(well, undefined, well)).toEqual(['', '', ''])
    // A value that is missing of a disk that was read.
    expect(codesOf(failing, [thing('disk', 'sda', { power_on_hours: 1 })], well)).toEqual([
      'disk_failing 0',
      'disk_failing 0',
      '',
    ])
    // Another disk was read.
    const other = [thing('disk', 'sdb', { healthy: 1 })]
    expect(codesOf(failing, other, failing, other, [...other, ...well])).toEqual([
      'disk_failing 0',
      'disk_failing 0',
      'disk_failing 0',
      'disk_failing 0',
      '',
    ])
    expect(codesOf(failing, ...Array.from({ length: 16 }, () => other)).at(-1)).toBe('')
  })

  it('is no growth of a counter that is back with its value', () => {
    const web = (count: number) => [thing('container', 'web', { oom_kills: count })]
    expect(codesOf(web(2), undefined, web(2))).toEqual(['', '', ''])
    expect(codesOf(web(2), undefined, web(3))).toEqual(['', '', 'container_oom 2'])
    expect(codesOf(web(2), [thing('container', 'web', { running: 1 })], web(2))).toEqual(['', '', ''])
  })

  it('does not begin what needs a duration', () => {
    const onBattery = [thing('battery', 'rack', { on_battery: 1 }, ups)]
    const needed = (DECLARATIONS.find(({ code }) => code === 'ups_on_battery')?.forSeconds ?? 0) / 60
    expect(codesOf(onBattery, ...Array.from({ length: needed + 1 }, () => undefined)).at(-1)).toBe('')
  })
})

it('the worst finding is first and is the status, and of one code a thing has one finding', () => {
  const disk = thing('disk', 'sda', { healthy: 0, reallocated_sectors: 900, used_percent: 99 })
  const findings = findingsOf(thing('host', 'host', { reboot_required: 1 }), thing('unit', 'a', { failed: 1 }), disk)
  expect(findings.map(({ code }) => code)).toEqual(['disk_failing', 'unit_failed', 'disk_worn', 'reboot_required'])
  const health = deriveHealth({ atMs: START, things: [disk], before: undefined })
  expect(health.status).toBe('critical')
})

it('a host has at most 100 findings', () => {
  const units = Array.from({ length: 150 }, (_, index) => thing('unit', `unit-${index}`, { failed: 1 }))
  expect(findingsOf(...units)).toHaveLength(100)
})
