import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { METRIC_FIELDS } from '@vedette/shared/metrics/fields'
import { systemClock } from '../../process/clock.ts'
import { FakeClock } from '../../../test/fake-clock.ts'
import { fixturePath } from './fixtures.ts'
import { createLinuxSampler } from './sampler.ts'

const statfs = () => Promise.resolve({ bsize: 4096, blocks: 100, bfree: 50, bavail: 50 })

/** A copy of the recorded host, without the files named. */
function recordedHost(...missing: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-proc-'))
  cpSync(fixturePath('recorded/proc'), root, { recursive: true })
  for (const path of missing) rmSync(join(root, path))
  return root
}

test('a recorded host has every group [SAMPLE-01, SAMPLE-11]', async () => {
  const clock = new FakeClock()
  const sampler = createLinuxSampler(clock, { procRoot: recordedHost(), sysRoot: '/nowhere', statfs })
  sampler.prime()
  await clock.advance(1_000)
  const { values, filesystems, interfaces } = await sampler.read(30_000)
  expect(Object.keys(values)).toEqual(['cpu', 'memory', 'disk', 'network', 'tcp'])
  expect(values.disk).toEqual({ read_iops: 0, write_iops: 0, read_throughput_bps: 0, write_throughput_bps: 0, usage_percent: 50 })
  expect(values.tcp).toMatchObject({ listen: 1, retransmits_per_sec: 0 })
  expect(values.network?.active_connections).toBe(values.tcp?.established)
  expect(filesystems?.map((filesystem) => filesystem.mount)).toEqual(['/'])
  expect(interfaces?.map((entry) => entry.name)).toEqual(['eth0'])
  sampler.close()
})

test.each([
  ['stat', (v: Values) => [v.cpu?.percent, v.cpu?.cores]],
  ['loadavg', (v: Values) => [v.cpu?.load_1]],
  ['meminfo', (v: Values) => [v.memory]],
  ['diskstats', (v: Values) => [v.disk?.read_iops]],
  ['self/mountinfo', (v: Values) => [v.disk?.usage_percent]],
  ['net/dev', (v: Values) => [v.network?.rx_bytes_per_sec]],
  ['net/snmp', (v: Values) => [v.tcp?.retransmits_per_sec]],
] as const)('without %s its fields are absent, never 0 [SAMPLE-15]', async (missing, fields) => {
  const clock = new FakeClock()
  const sampler = createLinuxSampler(clock, { procRoot: recordedHost(missing), sysRoot: '/nowhere', statfs })
  sampler.prime()
  await clock.advance(1_000)
  const { values } = await sampler.read(30_000)
  expect(fields(values).every((value) => value === undefined)).toBe(true)
  sampler.close()
})
type Values = Awaited<ReturnType<ReturnType<typeof createLinuxSampler>['read']>>['values']

test.runIf(process.platform === 'linux')(
  'this very host gives fields of the contract only, each finite [SAMPLE-01]',
  async () => {
    const sampler = createLinuxSampler(systemClock)
    const { values } = await sampler.read(30_000)
    for (const [group, fields] of Object.entries(values)) {
      for (const [name, value] of Object.entries(fields)) {
        expect(METRIC_FIELDS[group as keyof typeof METRIC_FIELDS]).toHaveProperty(name)
        expect(Number.isFinite(value)).toBe(true)
      }
    }
    sampler.close()
  },
)
