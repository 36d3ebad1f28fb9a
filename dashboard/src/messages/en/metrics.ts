/** How a metric of a rule is shown: its name, and the unit behind a value. */
export interface MetricLabel {
  name: string
  unit: string
}
const metric = (name: string, unit = ''): MetricLabel => ({ name, unit })

/** Labels of the metrics that a rule may evaluate, by the names of the API. */
export const metrics = {
  monitor: {
    status: metric('Status'),
    response_ms: metric('Response time', 'ms'),
    certificate_days: metric('Certificate expiry', 'days'),
    members_down: metric('Members down'),
  },
  server: {
    status: metric('Status'),
    'filesystem.percent': metric('Filesystem usage', '%'),
    'filesystem.days_until_full': metric('Time until the filesystem is full', 'days'),
    'memory.days_until_full': metric('Time until the memory is full', 'days'),
    'cpu.percent': metric('CPU usage', '%'),
    'cpu.user_percent': metric('CPU user', '%'),
    'cpu.system_percent': metric('CPU system', '%'),
    'cpu.iowait_percent': metric('CPU I/O wait', '%'),
    'cpu.steal_percent': metric('CPU steal', '%'),
    'cpu.cores': metric('CPU cores'),
    'cpu.load_1': metric('Load (1 min)'),
    'cpu.load_5': metric('Load (5 min)'),
    'cpu.load_15': metric('Load (15 min)'),
    'memory.percent': metric('Memory usage', '%'),
    'memory.used_bytes': metric('Memory used', 'bytes'),
    'memory.total_bytes': metric('Memory total', 'bytes'),
    'memory.swap_percent': metric('Swap usage', '%'),
    'memory.swap_used_bytes': metric('Swap used', 'bytes'),
    'memory.swap_total_bytes': metric('Swap total', 'bytes'),
    'disk.usage_percent': metric('Fullest disk', '%'),
    'disk.read_iops': metric('Disk reads', '/s'),
    'disk.write_iops': metric('Disk writes', '/s'),
    'disk.read_throughput_bps': metric('Disk read throughput', 'bytes/s'),
    'disk.write_throughput_bps': metric('Disk write throughput', 'bytes/s'),
    'network.rx_bytes_per_sec': metric('Network in', 'bytes/s'),
    'network.tx_bytes_per_sec': metric('Network out', 'bytes/s'),
    'network.active_connections': metric('Network connections'),
    'network.rx_errors_per_sec': metric('Network receive errors', '/s'),
    'network.tx_errors_per_sec': metric('Network send errors', '/s'),
    'tcp.established': metric('TCP established'),
    'tcp.syn_sent': metric('TCP SYN sent'),
    'tcp.syn_recv': metric('TCP SYN received'),
    'tcp.fin_wait': metric('TCP FIN wait'),
    'tcp.time_wait': metric('TCP time wait'),
    'tcp.close_wait': metric('TCP close wait'),
    'tcp.last_ack': metric('TCP last ACK'),
    'tcp.listen': metric('TCP listening'),
    'tcp.closing': metric('TCP closing'),
    'tcp.retransmits_per_sec': metric('TCP retransmits', '/s'),
    'tcp.resets_per_sec': metric('TCP resets', '/s'),
    'host.failed_units': metric('Failed units'),
    'host.reboot_required': metric('Restart pending (0 or 1)'),
    'host.missing_processes': metric('Missing processes'),
  },
}
