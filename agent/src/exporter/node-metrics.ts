import type { FilesystemCounts, HostReading, HostTexts } from './host-files.ts'

type Type = 'counter' | 'gauge' | 'untyped'
type Labels = Readonly<Record<string, string>>

/** The names, labels and types of node_exporter 1.5, of which later versions keep these. */
export class NodeMetrics {
  readonly #families = new Map<string, { type: Type; lines: string[] }>()

  add(name: string, type: Type, value: number | undefined, labels: Labels = {}): void {
    if (value === undefined || Number.isNaN(value)) return
    const family = this.#families.get(name) ?? { type, lines: [] }
    this.#families.set(name, family)
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`)
    family.lines.push(`${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`)
  }

  toText(): string {
    return [...this.#families]
      .map(([name, { type, lines }]) => `# HELP ${name} As in node_exporter.\n# TYPE ${name} ${type}\n${lines.join('')}`)
      .join('')
  }
}

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** The exposition of one reading. */
export function nodeMetrics({ texts, filesystems, machine, nowMs }: HostReading): string {
  const metrics = new NodeMetrics()
  addStat(metrics, texts.stat)
  addLoad(metrics, texts.loadavg)
  addMemory(metrics, texts.meminfo)
  addDisks(metrics, texts.diskstats)
  addNetwork(metrics, texts.netDev)
  addFilesystems(metrics, filesystems)
  addVmstat(metrics, texts.vmstat)
  addNetstat(metrics, texts)
  for (const text of [texts.sockstat, texts.sockstat6]) addSockstat(metrics, text)
  addPressure(metrics, texts)
  addLimits(metrics, texts)
  addUname(metrics, texts, machine)
  metrics.add('node_time_seconds', 'gauge', nowMs / 1_000)
  return metrics.toText()
}

const linesOf = (text = ''): string[][] =>
  text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/)
    return words[0] === '' ? [] : [words]
  })
/** Undefined where it is no number. */
const toNumber = (word: string | undefined): number | undefined => (/^-?\d+$/.test(word ?? '') ? Number(word) : undefined)
const scaled = (word: string | undefined, divisor: number): number | undefined => {
  const value = toNumber(word)
  return value === undefined ? undefined : value / divisor
}

/** USER_HZ of every Linux that Node runs on. */
const TICKS_A_SECOND = 100
const CPU_MODES = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal']
const STAT_NAMES: Readonly<Record<string, readonly [name: string, type: Type]>> = {
  intr: ['node_intr_total', 'counter'],
  ctxt: ['node_context_switches_total', 'counter'],
  processes: ['node_forks_total', 'counter'],
  btime: ['node_boot_time_seconds', 'gauge'],
  procs_running: ['node_procs_running', 'gauge'],
  procs_blocked: ['node_procs_blocked', 'gauge'],
}

function addStat(metrics: NodeMetrics, text: string | undefined): void {
  for (const [key = '', ...values] of linesOf(text)) {
    const cpu = /^cpu(\d+)$/.exec(key)?.[1]
    if (cpu === undefined) {
      const [name, type] = STAT_NAMES[key] ?? []
      if (name !== undefined && type !== undefined) metrics.add(name, type, toNumber(values[0]))
      continue
    }
    for (const [index, mode] of CPU_MODES.entries())
      metrics.add('node_cpu_seconds_total', 'counter', scaled(values[index], TICKS_A_SECOND), { cpu, mode })
    for (const [index, mode] of ['user', 'nice'].entries()) {
      const guest = scaled(values[CPU_MODES.length + index], TICKS_A_SECOND)
      metrics.add('node_cpu_guest_seconds_total', 'counter', guest, { cpu, mode })
    }
  }
}

function addLoad(metrics: NodeMetrics, text: string | undefined): void {
  const loads = linesOf(text)[0] ?? []
  for (const [index, minutes] of [1, 5, 15].entries())
    if (loads[index] !== undefined) metrics.add(`node_load${minutes}`, 'gauge', Number(loads[index]))
}

function addMemory(metrics: NodeMetrics, text: string | undefined): void {
  for (const [key = '', value, unit] of linesOf(text)) {
    const name = key.replace(':', '').replace(/\((.*)\)$/, '_$1')
    const size = toNumber(value)
    if (size === undefined) continue
    if (unit === 'kB') metrics.add(`node_memory_${name}_bytes`, 'gauge', size * 1_024)
    else metrics.add(`node_memory_${name}`, 'gauge', size)
  }
}

const IGNORED_DISKS = /^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$/
const SECTOR_BYTES = 512
/** Columns of /proc/diskstats behind the name, and what their numbers are divided by. */
const DISK_COLUMNS: readonly (readonly [name: string, divisor: number, type: Type])[] = [
  ['reads_completed_total', 1, 'counter'],
  ['reads_merged_total', 1, 'counter'],
  ['read_bytes_total', 1 / SECTOR_BYTES, 'counter'],
  ['read_time_seconds_total', 1_000, 'counter'],
  ['writes_completed_total', 1, 'counter'],
  ['writes_merged_total', 1, 'counter'],
  ['written_bytes_total', 1 / SECTOR_BYTES, 'counter'],
  ['write_time_seconds_total', 1_000, 'counter'],
  ['io_now', 1, 'gauge'],
  ['io_time_seconds_total', 1_000, 'counter'],
  ['io_time_weighted_seconds_total', 1_000, 'counter'],
  ['discards_completed_total', 1, 'counter'],
  ['discards_merged_total', 1, 'counter'],
  ['discarded_sectors_total', 1, 'counter'],
  ['discard_time_seconds_total', 1_000, 'counter'],
  ['flush_requests_total', 1, 'counter'],
  ['flush_requests_time_seconds_total', 1_000, 'counter'],
]

function addDisks(metrics: NodeMetrics, text: string | undefined): void {
  for (const [, , device, ...values] of linesOf(text)) {
    if (device === undefined || IGNORED_DISKS.test(device)) continue
    for (const [index, [name, divisor, type]] of DISK_COLUMNS.entries())
      metrics.add(`node_disk_${name}`, type, scaled(values[index], divisor), { device })
  }
}

const NET_COLUMNS = [
  ...['bytes', 'packets', 'errs', 'drop', 'fifo', 'frame', 'compressed', 'multicast'].map((name) => `receive_${name}`),
  ...['bytes', 'packets', 'errs', 'drop', 'fifo', 'colls', 'carrier', 'compressed'].map((name) => `transmit_${name}`),
]

function addNetwork(metrics: NodeMetrics, text = ''): void {
  for (const line of text.split('\n')) {
    // The two first lines are heads; a name may be next to its first number.
    const [, device, list] = /^\s*([^|\s][^|]*):\s*(\d.*)$/.exec(line) ?? []
    if (device === undefined || list === undefined) continue
    const values = list.split(/\s+/)
    for (const [index, name] of NET_COLUMNS.entries())
      metrics.add(`node_network_${name}_total`, 'counter', toNumber(values[index]), { device })
  }
}

function addFilesystems(metrics: NodeMetrics, filesystems: readonly FilesystemCounts[]): void {
  for (const { mount, fsType, source, isReadOnly, counts } of filesystems) {
    const labels = { device: source, fstype: fsType, mountpoint: mount }
    const { bsize, blocks, bfree, bavail, files, ffree } = counts
    metrics.add('node_filesystem_size_bytes', 'gauge', blocks * bsize, labels)
    metrics.add('node_filesystem_free_bytes', 'gauge', bfree * bsize, labels)
    metrics.add('node_filesystem_avail_bytes', 'gauge', bavail * bsize, labels)
    metrics.add('node_filesystem_files', 'gauge', files, labels)
    metrics.add('node_filesystem_files_free', 'gauge', ffree, labels)
    metrics.add('node_filesystem_readonly', 'gauge', isReadOnly ? 1 : 0, labels)
  }
}

const VMSTAT = /^(oom_kill|pgpg|pswp|pg.*fault)/

function addVmstat(metrics: NodeMetrics, text: string | undefined): void {
  for (const [name = '', value] of linesOf(text))
    if (VMSTAT.test(name)) metrics.add(`node_vmstat_${name}`, 'untyped', toNumber(value))
}

const NETSTAT =
  /^(.*_(InErrors|InErrs)|Ip_Forwarding|Ip(6|Ext)_(InOctets|OutOctets)|Icmp6?_(InMsgs|OutMsgs)|TcpExt_(Listen.*|Syncookies.*|TCPSynRetrans|TCPTimeouts)|Tcp_(ActiveOpens|InSegs|OutSegs|OutRsts|PassiveOpens|RetransSegs|CurrEstab)|Udp6?_(InDatagrams|OutDatagrams|NoPorts|RcvbufErrors|SndbufErrors))$/

function addNetstat(metrics: NodeMetrics, { snmp, netstat, snmp6 }: HostTexts): void {
  const add = (protocol: string, name: string, value: string | undefined) => {
    const key = `${protocol}_${name}`
    if (NETSTAT.test(key)) metrics.add(`node_netstat_${key}`, 'untyped', toNumber(value))
  }
  for (const text of [netstat, snmp]) {
    const lines = linesOf(text)
    // A line of names, then one of values.
    for (let index = 0; index + 1 < lines.length; index += 2) {
      const [protocol = '', ...names] = lines[index] ?? []
      for (const [column, name] of names.entries()) add(protocol.replace(':', ''), name, lines[index + 1]?.[column + 1])
    }
  }
  for (const [key = '', value] of linesOf(snmp6)) {
    const [, protocol, name] = /^(Ip6|Icmp6|Udp6|UdpLite6)(.+)$/.exec(key) ?? []
    if (protocol !== undefined && name !== undefined) add(protocol, name, value)
  }
}

function addSockstat(metrics: NodeMetrics, text: string | undefined): void {
  for (const [protocol = '', ...pairs] of linesOf(text))
    for (let index = 0; index + 1 < pairs.length; index += 2)
      metrics.add(`node_sockstat_${protocol.replace(':', '')}_${pairs[index]}`, 'gauge', toNumber(pairs[index + 1]))
}

const MICROSECONDS = 1e6

function addPressure(metrics: NodeMetrics, texts: HostTexts): void {
  const resources = [
    ['cpu', texts.pressureCpu],
    ['io', texts.pressureIo],
    ['memory', texts.pressureMemory],
  ] as const
  for (const [resource, text] of resources)
    for (const [kind, total] of (text ?? '').matchAll(/^(some|full) .*total=(\d+)$/gm).map(([, kind, total]) => [kind, total])) {
      // Of the processor of a whole host it has no meaning.
      if (kind === 'full' && resource === 'cpu') continue
      const name = kind === 'full' ? 'stalled' : 'waiting'
      metrics.add(`node_pressure_${resource}_${name}_seconds_total`, 'counter', scaled(total, MICROSECONDS))
    }
}

function addLimits(metrics: NodeMetrics, { fileNr, conntrackCount, conntrackMax }: HostTexts): void {
  const [allocated, , maximum] = linesOf(fileNr)[0] ?? []
  metrics.add('node_filefd_allocated', 'gauge', toNumber(allocated))
  metrics.add('node_filefd_maximum', 'gauge', toNumber(maximum))
  metrics.add('node_nf_conntrack_entries', 'gauge', toNumber(conntrackCount?.trim()))
  metrics.add('node_nf_conntrack_entries_limit', 'gauge', toNumber(conntrackMax?.trim()))
}

function addUname(metrics: NodeMetrics, texts: HostTexts, machine: string): void {
  const textOf = (text: string | undefined) => (text ?? '').trim()
  metrics.add('node_uname_info', 'gauge', 1, {
    domainname: textOf(texts.domainname),
    machine,
    nodename: textOf(texts.hostname),
    release: textOf(texts.osrelease),
    sysname: textOf(texts.ostype),
    version: textOf(texts.version),
  })
}
