import { machine } from 'node:os'
import type { Clock } from '../process/clock.ts'
import { type FilesystemTotals, FilesystemSampler, systemStatfs } from '../samplers/linux/filesystems.ts'
import { openProcFile, type ProcFile, ReadBuffer } from '../samplers/linux/proc-file.ts'
import { type Mounted, parseSources } from './mount-sources.ts'

/** The files that are read at a scrape, by name. Undefined where a kernel does not have one. */
const PATHS = {
  stat: 'stat',
  loadavg: 'loadavg',
  meminfo: 'meminfo',
  diskstats: 'diskstats',
  netDev: 'net/dev',
  netstat: 'net/netstat',
  snmp: 'net/snmp',
  snmp6: 'net/snmp6',
  sockstat: 'net/sockstat',
  sockstat6: 'net/sockstat6',
  vmstat: 'vmstat',
  fileNr: 'sys/fs/file-nr',
  conntrackCount: 'sys/net/netfilter/nf_conntrack_count',
  conntrackMax: 'sys/net/netfilter/nf_conntrack_max',
  pressureCpu: 'pressure/cpu',
  pressureIo: 'pressure/io',
  pressureMemory: 'pressure/memory',
  ostype: 'sys/kernel/ostype',
  osrelease: 'sys/kernel/osrelease',
  version: 'sys/kernel/version',
  hostname: 'sys/kernel/hostname',
  domainname: 'sys/kernel/domainname',
} as const

export type HostTexts = Readonly<Partial<Record<keyof typeof PATHS, string>>>

export interface FilesystemCounts extends Mounted {
  mount: string
  fsType: string
  counts: FilesystemTotals
}

export interface HostReading {
  texts: HostTexts
  /** Local ones, each once; those that hang are absent. */
  filesystems: FilesystemCounts[]
  /** Of the processor, as uname says it. */
  machine: string
  /** ms. */
  nowMs: number
}

export interface HostFiles {
  read(): Promise<HostReading>
  hasPendingCall(): boolean
  close(): void
}

/** Opens each file once, as the sampler does. */
export function openHostFiles(clock: Clock, procRoot = '/proc'): HostFiles {
  const buffer = new ReadBuffer()
  // Lines of the network's counters are longer than 2 KiB.
  const open = (path: string) => openProcFile(`${procRoot}/${path}`, buffer, /mountinfo$|^net|^stat$/.test(path))
  const files = Object.entries(PATHS).map(([name, path]): [string, ProcFile | undefined] => [name, open(path)])
  const mountinfo = open('self/mountinfo')
  const counts = new Map<string, FilesystemTotals>()
  const filesystems = new FilesystemSampler(clock, async (path) => {
    const read = await systemStatfs(path)
    counts.set(path, read)
    return read
  })

  return {
    read: async () => {
      const mounts = (await filesystems.read(() => mountinfo?.read('utf8'))) ?? []
      const sources = parseSources(mountinfo?.read('utf8') ?? '')
      return {
        texts: Object.fromEntries(files.map(([name, file]) => [name, file?.read()])) as HostTexts,
        filesystems: mounts.flatMap(({ mount, fs_type: fsType }) => {
          const [own, source] = [counts.get(mount), sources.get(mount)]
          return own && source ? [{ mount, fsType, counts: own, ...source }] : []
        }),
        machine: machine(),
        nowMs: clock.now(),
      }
    },
    hasPendingCall: () => filesystems.hasPendingCall(),
    close: () => {
      for (const [, file] of files) file?.close()
      mountinfo?.close()
    },
  }
}
