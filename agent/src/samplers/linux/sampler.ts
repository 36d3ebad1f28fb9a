import type { SampleValues } from '@vedette/shared'
import type { Clock } from '../../clock.ts'
import { toGroup } from '../../precision.ts'
import type { Reading, Sampler } from '../sampler.ts'
import { CpuSampler } from './cpu.ts'
import { DiskSampler } from './disk.ts'
import { FilesystemSampler, type Statfs } from './filesystems.ts'
import { memoryGroup } from './memory.ts'
import { NetworkSampler } from './network.ts'
import { openProcFile, ReadBuffer } from './proc-file.ts'
import { SOCKET_CEILING, TcpSampler } from './tcp.ts'
import { countStates } from './tcp-states.ts'

export interface LinuxSources {
  /** Other roots than the host's own: recorded files in tests. */
  procRoot?: string
  sysRoot?: string
  statfs?: Statfs
}

const PROC_FILES = {
  stat: 'stat',
  loadavg: 'loadavg',
  meminfo: 'meminfo',
  diskstats: 'diskstats',
  mountinfo: 'self/mountinfo',
  netDev: 'net/dev',
  sockstat: 'net/sockstat',
  snmp: 'net/snmp',
  arcstats: 'spl/kstat/zfs/arcstats',
} as const

/** Reads /proc and /sys; no child process, no library. Each file is opened once: one that is missing leaves its fields absent. */
export function createLinuxSampler(clock: Clock, sources: LinuxSources = {}): Sampler {
  const procRoot = sources.procRoot ?? '/proc'
  const sysRoot = sources.sysRoot ?? '/sys'
  const buffer = new ReadBuffer()
  const open = (name: keyof typeof PROC_FILES) => openProcFile(`${procRoot}/${PROC_FILES[name]}`, buffer)
  const files = {
    stat: open('stat'),
    loadavg: open('loadavg'),
    meminfo: open('meminfo'),
    diskstats: open('diskstats'),
    mountinfo: openProcFile(`${procRoot}/${PROC_FILES.mountinfo}`, buffer, true),
    netDev: open('netDev'),
    sockstat: open('sockstat'),
    snmp: open('snmp'),
    arcstats: open('arcstats'),
  }
  const cpu = new CpuSampler()
  const disk = new DiskSampler(sysRoot)
  const network = new NetworkSampler(sysRoot)
  const filesystems = new FilesystemSampler(clock, sources.statfs)
  const tcp = new TcpSampler(clock, () => countStates(clock, [`${procRoot}/net/tcp`, `${procRoot}/net/tcp6`], SOCKET_CEILING))
  const tcpTexts = () => ({ sockstat: files.sockstat?.read(), snmp: files.snmp?.read() })

  /** Every counter is stamped with the instant of its own reading. */
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
      const counters = readCounters(maxGapMs)
      const memory = memoryGroup(files.meminfo?.read(), files.arcstats?.read())
      const [tcpFields, mounts] = await Promise.all([
        tcp.read(tcpTexts(), maxGapMs),
        filesystems.read(() => files.mountinfo?.read('utf8')),
      ])
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
        values: withoutAbsent(groups),
        ...(mounts && { filesystems: mounts }),
        ...(interfaces && { interfaces }),
      }
    },

    staleMounts: () => filesystems.staleMounts(),
    hasCallOut: () => filesystems.hasCallOut() || tcp.hasCallOut(),

    close: () => {
      for (const file of Object.values(files)) file?.close()
    },
  }
}

function withoutAbsent(groups: { [G in keyof SampleValues]: SampleValues[G] | undefined }): SampleValues {
  // Dropping the undefined entries is what turns the one type into the other.
  return Object.fromEntries(Object.entries(groups).filter(([, group]) => group !== undefined)) as SampleValues
}
