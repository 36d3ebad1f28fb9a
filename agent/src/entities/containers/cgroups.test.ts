import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { CgroupReader } from './cgroups.ts'
import { toUsage } from './counters.ts'

const ID = '4f8a1c'.padEnd(64, '0')
const OTHER = '99'.padEnd(64, '9')
/** Written by hand after the documentation of the kernel. */
const V2_FILES = {
  'cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n',
  'memory.current': '104857600\n',
  'memory.stat': 'anon 52428800\nfile 41943040\ninactive_file 31457280\nactive_file 10485760\n',
  'memory.events': 'low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n',
  'io.stat': '8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n253:0 rbytes=4096 wbytes=8192 rios=1 wios=2\n',
}
const V1_FILES = {
  'cpuacct/G/cpuacct.usage': '2500000000\n',
  'memory/G/memory.usage_in_bytes': '104857600\n',
  'memory/G/memory.stat': 'cache 1\ninactive_file 5\ntotal_cache 1\ntotal_inactive_file 31457280\n',
  'memory/G/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
  'blkio/G/blkio.throttle.io_service_bytes': '8:0 Read 4096\n8:0 Write 8192\n8:0 Sync 0\n8:0 Total 12288\nTotal 12288\n',
}
const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    9000       9    0    0    0     0          0         0     9000       9    0    0    0     0       0          0
  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0
veth12: 7000 10 0 0 0 0 0 0 7000 20 0 0 0 0 0 0
`

function makeHost(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'vedette-cgroups-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const clock = new FakeClock()
  return { root, write, clock, reader: new CgroupReader(clock, root) }
}

const v2Host = (group: string, more: Record<string, string> = {}) =>
  makeHost({
    'sys/fs/cgroup/cgroup.controllers': 'cpu io memory\n',
    'sys/dev/block/253:0/slaves/sda': '',
    'proc/42/cgroup': `0::${group}\n`,
    'proc/42/net/dev': NET_DEV,
    ...Object.fromEntries(Object.entries(V2_FILES).map(([name, text]) => [`sys/fs/cgroup${groupFolder(group)}/${name}`, text])),
    ...more,
  })
const groupFolder = (group: string) => group.replace(/\/container$/, '')

const MEASURED = {
  cpuSeconds: 2.5,
  memoryBytes: 104_857_600 - 31_457_280,
  oomKills: 2,
  disks: new Map([['8:0', [4096, 8192]]]),
  interfaces: new Map([['eth0', [1000, 2000]]]),
}

test.each([
  `/system.slice/docker-${ID}.scope`,
  `/docker/${ID}`,
  `/machine.slice/libpod-${ID}.scope/container`,
  `/libpod_parent/libpod-${ID}`,
  `/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${ID}.scope/container`,
  `/system.slice/web.service/libpod-payload-${ID}`,
])('version 2: the group %s is found by the process', (group) => {
  expect(v2Host(group).reader.find(ID, 42, true)?.read()).toMatchObject(MEASURED)
})

test.each([
  ['systemd', `/system.slice/docker-${ID}.scope`],
  ['cgroupfs', `/libpod_parent/libpod-${ID}`],
])('version 2: without a view of the process, the group is found where %s has it', (_driver, group) => {
  const { reader } = v2Host(group, { 'proc/42/cgroup': `0::/../docker-${ID}.scope\n` })
  expect(reader.find(ID, 0, true)?.read()).toMatchObject({ ...MEASURED, interfaces: new Map() })
})

test('version 1: each controller has its own folder', () => {
  const group = `docker/${ID}`
  const { reader } = makeHost({
    'proc/42/cgroup': `4:memory:/${group}\n3:blkio:/${group}\n2:cpuacct:/${group}\n0::/${group}\n`,
    'proc/42/net/dev': NET_DEV,
    ...Object.fromEntries(Object.entries(V1_FILES).map(([path, text]) => [`sys/fs/cgroup/${path.replace('G', group)}`, text])),
  })
  expect(reader.find(ID, 42, true)?.read()).toMatchObject(MEASURED)
})

test('a container in the group of its user, or of another container, has none', () => {
  expect(v2Host('/user.slice/user-1000.slice/session-1.scope').reader.find(ID, 42, true)).toBeUndefined()
  expect(v2Host(`/docker/${OTHER}`).reader.find(ID, 42, true)).toBeUndefined()
  expect(v2Host(`/docker/${ID}`).reader.find(ID, 42, false)?.read().interfaces.size).toBe(0)
})

test('600 files stay open, more are opened for each reading, and closed ones make room', () => {
  const { reader } = v2Host(`/docker/${ID}`)
  const all = Array.from({ length: 120 }, () => reader.find(ID, 42, false))
  for (const files of all) expect(files?.read().cpuSeconds).toBe(2.5)
  for (const files of all) files?.close()
  expect(reader.find(ID, 42, true)?.read()).toMatchObject(MEASURED)
})

test('rates follow from two readings; a counter that went back and a group that is gone give none', () => {
  const { reader, write, clock, root } = v2Host(`/docker/${ID}`)
  const files = reader.find(ID, 42, true)
  const host = { maxGapMs: 60_000, cores: 2, memoryBytes: 209_715_200 }
  const first = files?.read()
  if (!first || !files) throw new Error('not found')
  expect(toUsage(undefined, first, host)).toEqual({ memory_bytes: 73_400_320, memory_percent: 35, oom_kills: 2 })
  void clock.advance(10_000)
  const folder = `sys/fs/cgroup/docker/${ID}`
  write(`${folder}/cpu.stat`, 'usage_usec 12500000\n')
  write(`${folder}/io.stat`, '8:0 rbytes=14096 wbytes=8192 rios=1 wios=2\n8:16 rbytes=5000 wbytes=0 rios=1 wios=0\n')
  write('proc/42/net/dev', NET_DEV.replace('1000 10', '500 10').replace('2000 20', '4000 20'))
  const second = { ...files.read(), atMs: first.atMs + 10_000 }
  expect(toUsage(first, second, host)).toEqual({
    cpu_percent: 50,
    memory_bytes: 73_400_320,
    memory_percent: 35,
    network_tx_bytes_per_sec: 200,
    read_bytes_per_sec: 1_500,
    write_bytes_per_sec: 0,
    oom_kills: 2,
  })
  expect(toUsage(first, { ...second, atMs: first.atMs + 60_001 }, host)).not.toHaveProperty('cpu_percent')
  rmSync(root, { recursive: true })
  expect(new CgroupReader(clock, root).find(ID, 42, true)).toBeUndefined()
})
