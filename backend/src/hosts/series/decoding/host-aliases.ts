/**
 * Which series of the collector's hostmetricsreceiver and of node_exporter say what our samples of hosts say. Names are those that a
 * metric has here: of OTLP after its translation. The conventions changed more than once, so that one part has several names.
 */
export interface Alias {
  name: string
  /** The first of these labels that a series has names the part; without labels `parts` is the part of every series. */
  labels: readonly string[]
  parts: string | Readonly<Record<string, string>>
  /** Values that only grow: their growth a second counts. */
  isCounter: boolean
  /** The first of these labels that a series has says what it is of: a processor, a device, a mount. */
  of: readonly string[]
  /** A series of these is left out, such as a loopback. */
  without?: { labels: readonly string[]; pattern: RegExp }
}

const CPU = ['cpu', 'cpu_logical_number']
const DEVICE = ['device', 'system_device', 'network_interface_name']
const MOUNT = ['mountpoint', 'system_filesystem_mountpoint']

/** As the agent leaves them out. */
const NETWORK = {
  labels: DEVICE,
  pattern: /^(?:lo|ifb|dummy|docker|br-|virbr|veth|vnet|tun|tap|wg|sit|gre|gretap|erspan|ip6|ip_vti|tunl|teql|nlmon|bond)/,
}
const DISK = {
  labels: DEVICE,
  pattern: /^(?:(?:z?ram|loop|fd|dm-|md|sr)\d+|(?:h|s|v|xv)d[a-z]+\d+|(?:nvme\d+n|mmcblk)\d+p\d+)$/,
}
const FILESYSTEM = {
  labels: ['type', 'fstype', 'system_filesystem_type'],
  pattern:
    /^(?:.*tmpfs|ramfs|rootfs|overlay|squashfs|iso9660|autofs|nfs.*|cifs|smb.*|9p|fuse.*|proc|sysfs|cgroup.*|nsfs|tracefs)$/,
}

const CPU_PARTS = {
  user: 'cpu.user',
  nice: 'cpu.user',
  system: 'cpu.system',
  kernel: 'cpu.system',
  idle: 'cpu.idle',
  iowait: 'cpu.iowait',
  wait: 'cpu.iowait',
  steal: 'cpu.steal',
  interrupt: 'cpu.irq',
  irq: 'cpu.irq',
  softirq: 'cpu.irq',
}
const MEMORY_PARTS = {
  used: 'memory.used',
  free: 'memory.free',
  cached: 'memory.cached',
  buffered: 'memory.buffers',
  buffers: 'memory.buffers',
}
const SWAP_PARTS = { used: 'swap.used', free: 'swap.free', cached: 'swap.free' }
const TCP_STATES = {
  ESTABLISHED: 'tcp.established',
  SYN_SENT: 'tcp.syn_sent',
  SYN_RECV: 'tcp.syn_recv',
  SYN_RECEIVED: 'tcp.syn_recv',
  FIN_WAIT_1: 'tcp.fin_wait',
  FIN_WAIT_2: 'tcp.fin_wait',
  TIME_WAIT: 'tcp.time_wait',
  CLOSE_WAIT: 'tcp.close_wait',
  LAST_ACK: 'tcp.last_ack',
  LISTEN: 'tcp.listen',
  CLOSING: 'tcp.closing',
}
/** Of the later conventions and of node_exporter, which write them small: `fin_wait_1`, `fin_wait1`. */
const TCP_PARTS: Readonly<Record<string, string>> = {
  ...TCP_STATES,
  ...Object.fromEntries(Object.entries(TCP_STATES).map(([state, part]) => [state.toLowerCase(), part])),
  fin_wait1: 'tcp.fin_wait',
  fin_wait2: 'tcp.fin_wait',
}
const USAGE = { used: 'filesystem.used', free: 'filesystem.available' }

const gauge = (name: string, parts: Alias['parts'], more: Partial<Alias> = {}): Alias => ({
  name,
  labels: [],
  parts,
  isCounter: false,
  of: [],
  ...more,
})
const counter = (name: string, parts: Alias['parts'], more: Partial<Alias> = {}): Alias =>
  gauge(name, parts, { isCounter: true, ...more })
const direction = (noun: string) => ['direction', `${noun}_io_direction`]
const disk = (read: string, write: string) => ({ read, write })
const network = (rx: string, tx: string) => ({ receive: rx, transmit: tx })
const ofDisk = { of: DEVICE, without: DISK }
const ofNetwork = { of: DEVICE, without: NETWORK }
const ofMount = { of: MOUNT, without: FILESYSTEM }

const COLLECTOR: readonly Alias[] = [
  counter('system_cpu_time_seconds_total', CPU_PARTS, { labels: ['state', 'cpu_mode'], of: CPU }),
  gauge('system_cpu_logical_count', 'cpu.cores'),
  ...['1', '5', '15'].flatMap((minutes) =>
    ['', '_ratio'].map((suffix) => gauge(`system_cpu_load_average_${minutes}m${suffix}`, `load.${minutes}`)),
  ),
  gauge('system_memory_usage_bytes', MEMORY_PARTS, { labels: ['state', 'system_memory_state'] }),
  gauge('system_memory_limit_bytes', 'memory.total'),
  gauge('system_linux_memory_available_bytes', 'memory.available'),
  gauge('system_memory_linux_available_bytes', 'memory.available'),
  gauge('system_paging_usage_bytes', SWAP_PARTS, { labels: ['state', 'system_paging_state'], of: DEVICE }),
  counter('system_disk_io_bytes_total', disk('disk.read_bytes', 'disk.write_bytes'), { labels: direction('disk'), ...ofDisk }),
  counter('system_disk_operations_total', disk('disk.reads', 'disk.writes'), { labels: direction('disk'), ...ofDisk }),
  counter('system_network_io_bytes_total', network('network.rx', 'network.tx'), { labels: direction('network'), ...ofNetwork }),
  counter('system_network_errors_total', network('network.rx_errors', 'network.tx_errors'), {
    labels: direction('network'),
    ...ofNetwork,
  }),
  ...['system_network_connections', 'system_network_connection_count'].map((name) =>
    gauge(name, TCP_PARTS, {
      labels: ['state', 'network_connection_state'],
      // The only other protocol is UDP, which has no states.
      of: ['protocol', 'network_transport'],
    }),
  ),
  gauge('system_filesystem_usage_bytes', USAGE, { labels: ['state', 'system_filesystem_state'], ...ofMount }),
]

const NODE_EXPORTER: readonly Alias[] = [
  counter('node_cpu_seconds_total', CPU_PARTS, { labels: ['mode'], of: CPU }),
  ...['1', '5', '15'].map((minutes) => gauge(`node_load${minutes}`, `load.${minutes}`)),
  gauge('node_memory_MemTotal_bytes', 'memory.total'),
  gauge('node_memory_MemAvailable_bytes', 'memory.available'),
  gauge('node_memory_SwapTotal_bytes', 'swap.total'),
  gauge('node_memory_SwapFree_bytes', 'swap.free'),
  counter('node_disk_reads_completed_total', 'disk.reads', ofDisk),
  counter('node_disk_writes_completed_total', 'disk.writes', ofDisk),
  counter('node_disk_read_bytes_total', 'disk.read_bytes', ofDisk),
  counter('node_disk_written_bytes_total', 'disk.write_bytes', ofDisk),
  counter('node_network_receive_bytes_total', 'network.rx', ofNetwork),
  counter('node_network_transmit_bytes_total', 'network.tx', ofNetwork),
  counter('node_network_receive_errs_total', 'network.rx_errors', ofNetwork),
  counter('node_network_transmit_errs_total', 'network.tx_errors', ofNetwork),
  gauge('node_filesystem_size_bytes', 'filesystem.size', ofMount),
  gauge('node_filesystem_free_bytes', 'filesystem.free', ofMount),
  gauge('node_filesystem_avail_bytes', 'filesystem.available', ofMount),
  gauge('node_netstat_Tcp_CurrEstab', 'tcp.established'),
  gauge('node_tcp_connection_states', TCP_PARTS, { labels: ['state'] }),
  counter('node_netstat_Tcp_RetransSegs', 'tcp.retransmits'),
  counter('node_netstat_Tcp_OutRsts', 'tcp.resets'),
]

export const HOST_ALIASES: ReadonlyMap<string, Alias> = new Map(
  [...COLLECTOR, ...NODE_EXPORTER].map((alias) => [alias.name, alias]),
)
