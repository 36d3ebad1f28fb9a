import { existsSync } from 'node:fs'
import type { Clock } from '../../process/clock.ts'
import { toGroup } from '../numbers/precision.ts'
import { type Reading, type Sampler, toValues } from '../sampler.ts'
import { CpuSampler } from './cpu.ts'
import { DiskSampler } from './disk.ts'
import { FilesystemSampler, type Statfs, systemStatfs } from './filesystems.ts'
import { memoryGroup } from './memory.ts'
import { NetworkSampler } from './network.ts'
import { openProcFile, ReadBuffer } from './proc-file.ts'
import { SOCKET_CEILING, TcpSampler } from './tcp.ts'
import { openSocketLister } from './tcp-diag.ts'
import { countStates } from './tcp-states.ts'

export interface LinuxSources {
  /** Where the folders of the host are mounted, in a container; the host itself without it. */
  hostRoot?: string | undefined
  /** In tests: folders with recorded files. */
  procRoot?: string
  sysRoot?: string
  statfs?: Statfs
}

/** Reads /proc and /sys without child processes. Each file is opened once; the fields of a missing file are absent. */
export function createLinuxSampler(clock: Clock, sources: LinuxSources = {}): Sampler {
  const { hostRoot = '' } = sources
  const procRoot = sources.procRoot ?? `${hostRoot}/proc`
  const sysRoot = sources.sysRoot ?? `${hostRoot}/sys`
  // `self` has the mounts and the network of the container; process 1 has those of the host.
  const namespaces = hostRoot === '' ? { mounts: 'self', net: 'net' } : { mounts: '1', net: '1/net' }
  const files = openFiles(procRoot, namespaces)
  const cpu = new CpuSampler()
  const disk = new DiskSampler(sysRoot)
  const network = new NetworkSampler(sysRoot)
  const filesystems = new FilesystemSampler(clock, sources.statfs ?? ((path) => systemStatfs(hostRoot + path)))
  const countFiles = () =>
    countStates(
      clock,
      ['tcp', 'tcp6'].map((name) => `${procRoot}/${namespaces.net}/${name}`),
      SOCKET_CEILING,
    )
  // Netlink lists the sockets of the agent's own network, as `self` does.
  const lister = hostRoot === '' && sources.procRoot === undefined ? openSocketLister() : undefined
  const tcp = new TcpSampler(clock, async () => (await lister?.count(clock)) ?? countFiles())
  // Where only /proc and /sys of the host are mounted, its paths lead to files of the container.
  const hasFilesystems = hostRoot === '' || existsSync(`${hostRoot}/usr`)
  const tcpTexts = () => ({ sockstat: files.sockstat?.read(), snmp: files.snmp?.read() })

  /** Every counter gets the instant of its own reading. */
  const readCounters = (maxGapMs: number) => ({
    cpu: cpu.read(files.stat?.read(), files.loadavg?.read(), clock.monotonicMs(), maxGapMs),
    disk: disk.read(files.diskstats?.read(), clock.monotonicMs(), maxGapMs),
    network: network.read(files.netDev?.read(), clock.monotonicMs(), maxGapMs),
  })

  return {
    prime: () => {
      readCounters(Number.MAX_SAFE_INTEGER)
      tcp.prime(tcpTexts())
    },

    read: async (maxGapMs): Promise<Reading> => {
      // First: its calls run in other threads meanwhile.
      const readingMounts = hasFilesystems ? filesystems.read(() => files.mountinfo?.read('utf8')) : undefined
      const counters = readCounters(maxGapMs)
      const memory = memoryGroup(files.meminfo?.read(), files.arcstats?.read())
      const tcpFields = await tcp.read(tcpTexts(), maxGapMs)
      const mounts = await readingMounts
      const fullest = mounts?.reduce((most, mount) => Math.max(most, mount.percent), -1)
      const { totals, interfaces } = counters.network
      const groups = {
        cpu: counters.cpu,
        memory,
        disk: toGroup('disk', { ...counters.disk, usage_percent: fullest === -1 ? undefined : fullest }),
        network: toGroup('network', { ...totals, active_connections: tcpFields.established }),
        tcp: toGroup('tcp', tcpFields),
      }
      return {
        values: toValues(groups),
        ...(mounts && { filesystems: mounts }),
        ...(interfaces && { interfaces }),
      }
    },

    staleMounts: () => filesystems.staleMounts(),
    hasPendingCall: () => filesystems.hasPendingCall() || tcp.hasPendingCall(),

    close: () => {
      for (const file of Object.values(files)) file?.close()
    },
  }
}

function openFiles(procRoot: string, namespaces: { mounts: string; net: string }) {
  const buffer = new ReadBuffer()
  // Only lines of mounts may be longer than 2 KiB.
  const open = (path: string) => openProcFile(`${procRoot}/${path}`, buffer, path.endsWith('/mountinfo'))
  return {
    stat: open('stat'),
    loadavg: open('loadavg'),
    meminfo: open('meminfo'),
    diskstats: open('diskstats'),
    mountinfo: open(`${namespaces.mounts}/mountinfo`),
    netDev: open(`${namespaces.net}/dev`),
    sockstat: open(`${namespaces.net}/sockstat`),
    snmp: open(`${namespaces.net}/snmp`),
    arcstats: open('spl/kstat/zfs/arcstats'),
  }
}
