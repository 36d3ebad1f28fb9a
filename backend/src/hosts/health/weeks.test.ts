import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { expect, it } from 'vitest'
import { randomFrom } from '../../../test/random.ts'
import type { HealthMemory } from '../servers/index.ts'
import { deriveHealth } from './derive.ts'
import type { Thing, ThingKind } from './thing.ts'

// Healthy hosts of ten kinds over two weeks, measured every two minutes, with what is normal for them.

const START = Date.UTC(2026, 10, 2)
const STEP_MS = 120_000
const DAYS = 14
const GIB = 2 ** 30

/** What one of them measures at an instant. `hour` is that of the day, `day` counts from 0. */
type Host = (now: { atMs: number; hour: number; day: number; random: () => number }) => Thing[]

const thing = (kind: ThingKind, name: string, values: Thing['values'], attributes: Thing['attributes'] = {}): Thing => ({
  kind,
  name,
  values,
  attributes,
  entityId: null,
})
const filesystem = (name: string, percent: number, gib: number, type = 'ext4') =>
  thing('filesystem', name, { percent, total_bytes: gib * GIB }, { fs_type: type })
const sensor = (name: string, celsius: number, limit?: number) =>
  thing('sensor', name, { temperature_celsius: celsius, ...(limit !== undefined && { critical_celsius: limit }) })
const disk = (name: string, values: Thing['values'] = {}) => thing('disk', name, { healthy: 1, ...values })
const container = (name: string, values: Thing['values'] = {}) => thing('container', name, { running: 1, ...values })
const pressure = (cpu: number, io: number, memory: number) => [
  thing('pressure', 'cpu', { some_percent: cpu, full_percent: 0 }),
  thing('pressure', 'io', { some_percent: io, full_percent: io * 0.9 }),
  thing('pressure', 'memory', { some_percent: memory, full_percent: memory * 0.8 }),
]
const limits = (conntrack: number) => [
  thing('limit', 'conntrack', { percent: conntrack }),
  thing('limit', 'file_handles', { percent: 0.1 }),
]
const isWorking = (hour: number) => hour >= 8 && hour < 18

const HOSTS: Record<string, Host> = {
  laptop: ({ hour, random }) => [
    filesystem('/', 82, 470),
    filesystem('/boot/efi', 34, 0.25, 'vfat'),
    filesystem('/snap/core22/1380', 100, 0.07, 'squashfs'),
    filesystem('/media/user/Ubuntu 24.04', 100, 5, 'iso9660'),
    thing('battery', 'BAT0', { on_battery: Number(random() < 0.5), charge_percent: 3 + 90 * random() }, { type: 'battery' }),
    thing('battery', 'hidpp_battery_0', { on_battery: 1, charge_percent: 5 }, { type: 'device' }),
    sensor('coretemp Package id 0', isWorking(hour) && random() < 0.2 ? 100 : 55, 100),
    sensor('acpitz', 27.8, 0),
    sensor('iwlwifi', 52),
    ...pressure(30 * random(), 20 * random(), random() < 0.05 ? 40 : 1),
  ],
  NAS: ({ atMs, random }) => [
    filesystem('/', 78, 2.3),
    filesystem('/volume1', 97.6, 28_000, 'btrfs'),
    disk('sda', { reallocated_sectors: 8, power_on_hours: 61_000 }),
    disk('sdb', { reallocated_sectors: 0, pending_sectors: Number(random() < 0.01) }),
    thing(
      'array',
      'md0',
      { healthy: 1, devices: 4, failed_devices: 0, sync_percent: (atMs / HOUR_MS) % 100 },
      { type: 'md', action: 'check' },
    ),
    thing('array', 'volume1', { healthy: 1, errors: 0 }, { type: 'btrfs', state: 'online' }),
    // A self-test of some seconds each day.
    thing('battery', 'rack', { on_battery: Number(atMs % DAY_MS === 0), charge_percent: 99, low_battery: 0 }, { type: 'ups' }),
    ...pressure(10, 95, 3),
  ],
  'Raspberry Pi': ({ random }) => [
    filesystem('/', 71, 14),
    filesystem('/boot/firmware', 14, 0.5, 'vfat'),
    sensor('cpu_thermal', 60 + 22 * random(), 110),
    ...pressure(60 * random(), 99 * random(), 5 * random()),
    thing('host', 'host', { clock_offset_seconds: 2 * random() }),
  ],
  VM: ({ random, day }) => [
    filesystem('/', 60 + day / 10, 40),
    disk('vda', { used_percent: 255, spare_percent: 0 }),
    thing('updates', 'apt', { pending: 12, security: 0, oldest_days: day, lists_age_days: 0.5 }),
    thing('host', 'host', { reboot_required: 0, clock_offset_seconds: random() }),
    sensor('virtual', 127, 127),
    thing('unit', 'ssh.service', { failed: 0, running: 1, restarts: 0 }),
    ...pressure(5, 5, 0),
  ],
  'container host': ({ hour, random, day }) => [
    filesystem('/', 74 + 10 * random(), 200),
    container('shop/web', { healthy: Number(random() >= 0.02), oom_kills: 0, restarts: day }),
    container('shop/db', { healthy: 1, exit_code: 0 }),
    // It is stopped at night, with SIGTERM, then SIGKILL.
    container('shop/cache', { running: Number(hour !== 3), exit_code: 143, healthy: Number(hour !== 3) }),
    container('shop/migrate', { running: 0, exit_code: 0 }),
    container('backup', { running: 0, exit_code: 137 }),
    container('report', { running: 0, exit_code: 1, deaths_day: 1, last_run_seconds: 40 }),
    ...limits(20 + 10 * random()),
    ...pressure(40, 30 * random(), 10 * random()),
  ],
  router: ({ hour, random }) => [
    filesystem('/rom', 100, 0.004, 'squashfs'),
    filesystem('/overlay', 60, 0.01, 'ubifs'),
    ...limits(isWorking(hour) && random() < 0.3 ? 88 : 70),
    sensor('ath10k', 70),
  ],
  'database server': ({ random }) => [
    filesystem('/', 30, 50, 'xfs'),
    filesystem('/var/lib/postgresql', 88 + 6 * random(), 2_000, 'xfs'),
    disk('nvme0', { used_percent: 41, spare_percent: 100, media_errors: 0 }),
    thing('memory', 'mc0', { corrected_errors: 3, uncorrected_errors: 0, corrected_errors_per_day: 0.1 }),
    sensor('nvme0 Composite', 48 + 20 * random(), 84.8),
    ...pressure(20, 70 * random(), 4),
  ],
  'build machine': ({ hour, random }) => [
    filesystem('/', 80 + 14 * random(), 900),
    sensor('k10temp Tctl', isWorking(hour) ? 94 : 40, 100),
    container(`ci-${Math.floor(random() * 100)}`, { running: 0, exit_code: 1, deaths_day: 1, last_run_seconds: 600 }),
    container('runner', { out_of_memory_day: 0, oom_kills: 0 }),
    ...pressure(99, 60, isWorking(hour) ? 15 * random() : 0),
  ],
  Windows: ({ random }) => [
    filesystem('C:', 91, 237, 'NTFS'),
    filesystem('D:', 100, 4.4, 'UDF'),
    filesystem('E:', 100, 0.6, 'CDFS'),
    thing('unit', 'Spooler', { running: Number(random() < 0.9) }, { state: 'stopped' }),
    thing('battery', 'Internal Battery', { on_battery: 1, charge_percent: 9 }, { type: 'battery' }),
  ],
  macOS: ({ random }) => [
    filesystem('/', 94, 460, 'apfs'),
    filesystem('/System/Volumes/Data', 94, 460, 'apfs'),
    filesystem('/Volumes/Firefox', 100, 0.4, 'hfs'),
    thing('battery', 'InternalBattery-0', { on_battery: Number(random() < 0.7), charge_percent: 12 }, { type: 'battery' }),
    thing('unit', 'com.example.sync', { running: 0, failed: 0 }, { state: 'stopped' }),
  ],
}

it.each(Object.entries(HOSTS))('a healthy %s has no finding in two weeks', (_, host) => {
  const random = randomFrom(7)
  let before: HealthMemory | undefined
  const found = new Set<string>()
  for (let atMs = START; atMs < START + DAYS * DAY_MS; atMs += STEP_MS) {
    const [hour, day] = [Math.floor((atMs % DAY_MS) / HOUR_MS), Math.floor((atMs - START) / DAY_MS)]
    const health = deriveHealth({ atMs, things: host({ atMs, hour, day, random }), before })
    before = health.memory
    for (const { text } of health.findings) found.add(text)
  }
  expect([...found]).toEqual([])
})

it('each of them shows a fault within five minutes, and shows it until it has ended', () => {
  const failed = thing('unit', 'nginx.service', { failed: 1 })
  for (const host of Object.values(HOSTS)) {
    const random = randomFrom(3)
    let before: HealthMemory | undefined
    const shown: boolean[] = []
    for (let step = 0; step < 30; step += 1) {
      const own = host({ atMs: START + step * STEP_MS, hour: 12, day: 0, random })
      const things = step >= 10 && step < 20 ? [...own, failed] : own
      const read = new Set([...things.map(({ kind }) => kind), 'unit' as const])
      const health = deriveHealth({ atMs: START + step * STEP_MS, things, before, read })
      before = health.memory
      shown.push(health.status === 'warning')
    }
    expect(shown.flatMap((is, step) => (is ? [step] : []))).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  }
})
