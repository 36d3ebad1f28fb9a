import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCgroups } from './cgroup.ts'
import { readContainer } from './container.ts'
import { fixture } from './fixtures.ts'

/** A file system with these files, seen from inside. */
function inside(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'vedette-container-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return readContainer({ root })
}
const V2 = { 'proc/self/cgroup': '0::/\n' }
const V1 = fixture('constructed/cgroup-v1-docker')
const V1_PATH = '/docker/4f8a1c'

test('a host with limited services is no container', () => {
  expect(inside({ ...V2, 'sys/fs/cgroup/memory.max': '1000\n' })).toBeUndefined()
  expect(inside({ 'proc/self/cgroup': '0::/system.slice/vedette-agent.service\n' })).toBeUndefined()
  expect(inside({})).toBeUndefined()
})

const ID = '0123456789abcdef'.repeat(4)
test.each<[string, string | undefined]>([
  [`/docker/${ID}`, 'docker'],
  [`/system.slice/docker-${ID}.scope`, 'docker'],
  [`/machine.slice/libpod-${ID}.scope`, 'libpod'],
  [`/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice/cri-containerd-${ID}.scope`, 'kubernetes'],
  [`/system.slice/cri-containerd-${ID}.scope`, 'containerd'],
  [`/pod/crio-${ID}.scope`, 'crio'],
  ['/lxc.payload.web', 'lxc'],
  ['/lxc/web', 'lxc'],
  // The programs themselves.
  ['/system.slice/docker.service', undefined],
  ['/system.slice/docker.socket', undefined],
  ['/system.slice/docker-cleanup.service', undefined],
  ['/system.slice/containerd.service', undefined],
  ['/system.slice/crio.service', undefined],
  [`/pod/crio-conmon-${ID}.scope`, undefined],
  ['/user.slice/dockerless', undefined],
])('the group %s is of %s', (group, runtime) => {
  expect(inside({ 'proc/self/cgroup': `0::${group}\n` })?.runtime).toBe(runtime)
})

test.each<[string, Record<string, string>]>([
  ['docker', { '.dockerenv': '' }],
  ['podman', { 'run/.containerenv': '' }],
  ['kubernetes', { '.dockerenv': '', 'var/run/secrets/kubernetes.io/x': '', 'run/systemd/container': 'docker\n' }],
  ['systemd-nspawn', { 'run/systemd/container': 'systemd-nspawn\n' }],
  ['lxc', { 'proc/1/environ': 'PATH=/bin\0container=lxc\0' }],
  ['openvz', { 'proc/vz/x': '' }],
  ['docker', { 'proc/self/cgroup': V1 }],
  ['kubernetes', { 'proc/self/cgroup': '0::/kubepods.slice/kubepods-burstable.slice/x\n' }],
])('says %s', (runtime, files) => expect(inside({ ...V2, ...files })?.runtime).toBe(runtime))

test('cgroup version 2: the lowest limit of the group and its parents applies', () => {
  const group = { '.dockerenv': '', 'proc/self/cgroup': '0::/a/b\n' }
  expect(
    inside({
      ...group,
      'sys/fs/cgroup/a/memory.max': '536870912\n',
      'sys/fs/cgroup/a/b/memory.max': 'max\n',
      'sys/fs/cgroup/a/cpu.max': '400000 100000\n',
      'sys/fs/cgroup/a/b/cpu.max': '150000 100000\n',
    }),
  ).toEqual({ runtime: 'docker', cgroup_version: 2, memory_limit_bytes: 536_870_912, cpu_limit_cores: 1.5 })
  expect(inside({ ...group, 'sys/fs/cgroup/a/cpu.max': 'max 100000\n' })).toEqual({
    runtime: 'docker',
    cgroup_version: 2,
    memory_limit_bytes: null,
    cpu_limit_cores: null,
  })
})

test('cgroup version 1: the top is the group if the path of the host is missing', () => {
  const top = {
    'proc/self/cgroup': V1,
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456\n',
    'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '50000\n',
    'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  }
  const limits = { runtime: 'docker', cgroup_version: 1, memory_limit_bytes: 268_435_456, cpu_limit_cores: 0.5 }
  expect(inside(top)).toEqual(limits)
  // And one that is there, on the way to it.
  expect(inside({ ...top, [`sys/fs/cgroup/memory${V1_PATH}/memory.limit_in_bytes`]: '1048576\n' })).toEqual({
    ...limits,
    memory_limit_bytes: 1_048_576,
  })
})

test('cgroup version 1 of a recorded host has no limits', () => {
  const none = '9223372036854771712\n'
  const files = {
    '.dockerenv': '',
    'proc/self/cgroup': fixture('recorded/proc/self/cgroup'),
    'sys/fs/cgroup/memory/memory.limit_in_bytes': none,
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  }
  expect(inside(files)).toEqual({ runtime: 'docker', cgroup_version: 1, memory_limit_bytes: null, cpu_limit_cores: null })
})

test('cgroups are parsed by controller, and other lines skipped', () => {
  const { unified, byController } = parseCgroups(`${V1}\nnonsense\n`)
  expect(unified).toBe('/')
  expect(byController.get('cpuacct')).toEqual({ folder: 'cpu,cpuacct', path: V1_PATH })
  expect(byController.get('name=systemd')?.path).toBe(V1_PATH)
})
