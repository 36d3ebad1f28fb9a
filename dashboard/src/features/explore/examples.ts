import { metricsIn } from './complete.ts'

export interface Example {
  title:
    | 'cpu'
    | 'memory'
    | 'disks'
    | 'peak'
    | 'load'
    | 'network'
    | 'duration'
    | 'uptime'
    | 'slowest'
    | 'certificates'
    | 'status'
    | 'down'
  query: string
}

/** In the order in which they are offered. */
const HOSTS: readonly Example[] = [
  { title: 'cpu', query: 'vedette_cpu_percent' },
  { title: 'memory', query: '100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)' },
  { title: 'disks', query: 'topk(5, vedette_filesystem_used_percent)' },
  { title: 'peak', query: 'max_over_time(vedette_cpu_percent[1h])' },
  { title: 'load', query: 'sum(node_load1)' },
  { title: 'network', query: 'sum by (instance) (vedette_interface_receive_bytes_per_second)' },
]
const MONITORS: readonly Example[] = [
  { title: 'duration', query: 'probe_duration_seconds' },
  { title: 'uptime', query: '100 * avg_over_time(probe_success[1d])' },
  { title: 'slowest', query: 'topk(3, max by (instance) (probe_duration_seconds))' },
  { title: 'certificates', query: '(probe_ssl_earliest_cert_expiry - time()) / 86400' },
  { title: 'status', query: 'sum by (status) (vedette_monitor_status)' },
  { title: 'down', query: 'count(probe_success == 0) or vector(0)' },
]
const MOST = 5

/** Five queries over metrics that exist, of hosts and of monitors. */
export function examplesOf(metrics: readonly string[]): Example[] {
  const known = new Set(metrics)
  const possible = (all: readonly Example[]) => all.filter(({ query }) => metricsIn(query).every((name) => known.has(name)))
  const [hosts, monitors] = [possible(HOSTS), possible(MONITORS)]
  const ofHosts = hosts.slice(0, Math.max(3, MOST - monitors.length))
  return [...ofHosts, ...monitors].slice(0, MOST)
}
