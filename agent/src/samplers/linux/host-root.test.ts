import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { collectFacts, machineId } from '../../facts/facts.ts'
import { fixturePath } from './fixtures.ts'
import { createLinuxHostDetailsReader } from './host-details.ts'
import { createLinuxSampler } from './sampler.ts'

/** A recorded host, mounted as in a container: `self` is the container's own process, 1 the host's. */
function mountedHost(): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-host-'))
  const proc = join(root, 'proc')
  cpSync(fixturePath('recorded/proc'), proc, { recursive: true })
  renameSync(join(proc, 'self/mountinfo'), join(proc, '1/mountinfo'))
  renameSync(join(proc, 'net'), join(proc, '1/net'))
  for (const folder of ['etc', 'usr']) mkdirSync(join(root, folder))
  return root
}

test('below host_root are the mounts, network and processes of the host', async () => {
  const hostRoot = mountedHost()
  const clock = new FakeClock()
  const statfs = () => Promise.resolve({ bsize: 4096, blocks: 100, bfree: 50, bavail: 50 })
  const sampler = createLinuxSampler(clock, { hostRoot, statfs })
  sampler.prime()
  await clock.advance(1_000)
  const { values, filesystems, interfaces } = await sampler.read(30_000)
  sampler.close()
  expect(Object.keys(values)).toEqual(['cpu', 'memory', 'disk', 'network', 'tcp'])
  expect(filesystems?.map(({ mount }) => mount)).toEqual(['/'])
  expect(interfaces?.map(({ name }) => name)).toEqual(['eth0'])
  expect(values.tcp).toMatchObject({ listen: 1 })
  writeFileSync(join(hostRoot, 'proc/uptime'), '4711.5 1.0\n')
  mkdirSync(join(hostRoot, 'proc/1'), { recursive: true })
  writeFileSync(join(hostRoot, 'proc/1/stat'), '1 (systemd) S 0 1 1 0\n')
  const { host, gauges } = await createLinuxHostDetailsReader(clock, false, ['systemd', 'nginx'], { root: hostRoot }).read()
  expect(host).toMatchObject({ uptime_seconds: 4711, missing_processes: ['nginx'] })
  expect(gauges).toEqual({ missing_processes: 1 })
})

test('without the files of the host its filesystems are absent, not those of the container', async () => {
  const hostRoot = mountedHost()
  rmSync(join(hostRoot, 'usr'), { recursive: true })
  const sampler = createLinuxSampler(new FakeClock(), { hostRoot })
  const { values, filesystems } = await sampler.read(30_000)
  sampler.close()
  expect([filesystems, values.disk?.usage_percent]).toEqual([undefined, undefined])
})

test('facts are those of the host', async () => {
  const hostRoot = mountedHost()
  writeFileSync(join(hostRoot, 'etc/hostname'), 'rack-4\n')
  writeFileSync(join(hostRoot, 'etc/os-release'), 'ID=nixos\nPRETTY_NAME="NixOS 26.05"\n')
  writeFileSync(join(hostRoot, 'etc/machine-id'), `${'0123456789abcdef'.repeat(2)}\n`)
  const state = mkdtempSync(join(tmpdir(), 'vedette-state-'))
  const facts = await collectFacts(systemClock, state, { hostRoot })
  const ofFile = machineId(state, [join(hostRoot, 'etc/machine-id')])
  expect(facts).toMatchObject({ hostname: 'rack-4', os: 'NixOS 26.05', machine_id: ofFile })
  expect(facts).not.toHaveProperty('container')
})
