import { describe, expect, it } from 'vitest'
import { HOST_ALIASES } from '../host-aliases.ts'
import { decodeOtlpJson, type HostState, NEW_HOST, type ReceivedSeries, toHostSamples } from '../index.ts'

const NOW = 1_796_048_515_000

/** `name{label=value,…}` with its values, ten seconds apart. */
function toSeries(text: string, ...points: number[]): ReceivedSeries {
  const [, name = '', list = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(text) ?? []
  const pairs = list === '' ? [] : list.split(',').map((pair) => pair.split('=') as [string, string])
  return {
    labels: [['__name__', name], ...pairs],
    type: undefined,
    unit: '',
    times: Float64Array.from(points, (_, index) => NOW + index * 10_000),
    values: Float64Array.from(points),
  }
}

const newestOf = (series: readonly ReceivedSeries[]) => toHostSamples(series, NEW_HOST).samples.at(-1)?.values

type Row = [series: [text: string, ...points: number[]][], values: object]
const cpu = (name: string, label: string, processor: string): Row => [
  [
    [`${name}{${processor}=0,${label}=user}`, 0, 2],
    [`${name}{${processor}=1,${label}=user}`, 5, 8],
    [`${name}{${processor}=0,${label}=system}`, 0, 1],
    [`${name}{${processor}=0,${label}=idle}`, 0, 7],
    [`${name}{${processor}=1,${label}=idle}`, 9, 14],
    [`${name}{${processor}=0,${label}=iowait}`, 0, 1],
    [`${name}{${processor}=0,${label}=steal}`, 0, 1],
  ],
  { cpu: { percent: 35, user_percent: 25, system_percent: 5, iowait_percent: 5, steal_percent: 5, cores: 2 } },
]
const tcp = (name: string, label: string, states: string[]): Row => [
  states.map((state, index): [string, number] => [`${name}{${label}=${state}}`, 2 ** index]),
  {
    network: { active_connections: 1 },
    tcp: {
      established: 1,
      syn_sent: 2,
      syn_recv: 4,
      fin_wait: 24,
      time_wait: 32,
      close_wait: 64,
      last_ack: 128,
      listen: 256,
      closing: 512,
    },
  },
]
const STATES = 'ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT_1 FIN_WAIT_2 TIME_WAIT CLOSE_WAIT LAST_ACK LISTEN CLOSING'.split(' ')
const LATER_STATES = STATES.map((state) => (state === 'SYN_RECV' ? 'syn_received' : state.toLowerCase()))
const NODE_STATES = STATES.map((state) => state.toLowerCase().replace('wait_', 'wait'))
const loads = (name: (minutes: number) => string): Row => [
  [1, 5, 15].map((minutes): [string, number] => [name(minutes), minutes / 4]),
  { cpu: { load_1: 0.25, load_5: 1.25, load_15: 3.75 } },
]
const memory = (label: string): Row => [
  Object.entries({ used: 4, free: 1, cached: 3, buffered: 2, slab_reclaimable: 9 }).map(([state, value]): [string, number] => [
    `system_memory_usage_bytes{${label}=${state}}`,
    value,
  ]),
  { memory: { used_bytes: 4, total_bytes: 10, percent: 40 } },
]
const swap = (label: string): Row => [
  [
    ['used', 1],
    ['free', 3],
  ].map(([state, value]): [string, number] => [`system_paging_usage_bytes{device=a,${label}=${state}}`, Number(value)]),
  { memory: { swap_used_bytes: 1, swap_total_bytes: 4, swap_percent: 25 } },
]
const pair = (name: string, device: string, label: string, values: [string, string], fields: object): Row => [
  [
    [`${name}{${device}=sda,${label}=${values[0]}}`, 0, 100],
    [`${name}{${device}=sdb,${label}=${values[0]}}`, 50, 100],
    [`${name}{${device}=sda,${label}=${values[1]}}`, 7, 27],
    [`${name}{${device}=sda1,${label}=${values[0]}}`, 0, 9_000],
    [`${name}{${device}=lo,${label}=${values[0]}}`, 0, 0],
  ],
  fields,
]
const twoOf = (names: [string, string], fields: object): Row => [
  [
    [`${names[0]}{device=sda}`, 0, 100],
    [`${names[0]}{device=sdb}`, 50, 100],
    [`${names[1]}{device=sda}`, 7, 27],
    [`${names[0]}{device=lo}`, 0, 0],
  ],
  fields,
]
const READ_WRITE: [string, string] = ['read', 'write']
const RECEIVE_TRANSMIT: [string, string] = ['receive', 'transmit']
const filesystem = (mount: string, state: string, type: string): Row => [
  [
    [`system_filesystem_usage_bytes{${mount}=/,${state}=used,${type}=ext4}`, 30],
    [`system_filesystem_usage_bytes{${mount}=/,${state}=free,${type}=ext4}`, 70],
    [`system_filesystem_usage_bytes{${mount}=/,${state}=reserved,${type}=ext4}`, 50],
    [`system_filesystem_usage_bytes{${mount}=/data,${state}=used,${type}=xfs}`, 6],
    [`system_filesystem_usage_bytes{${mount}=/data,${state}=free,${type}=xfs}`, 4],
    [`system_filesystem_usage_bytes{${mount}=/run,${state}=used,${type}=tmpfs}`, 9],
    [`system_filesystem_usage_bytes{${mount}=/run,${state}=free,${type}=tmpfs}`, 1],
  ],
  { disk: { usage_percent: 60 } },
]

const ROWS: Row[] = [
  cpu('system_cpu_time_seconds_total', 'state', 'cpu'),
  cpu('system_cpu_time_seconds_total', 'cpu_mode', 'cpu_logical_number'),
  cpu('node_cpu_seconds_total', 'mode', 'cpu'),
  [[['system_cpu_logical_count', 8]], { cpu: { cores: 8 } }],
  loads((minutes) => `system_cpu_load_average_${minutes}m`),
  loads((minutes) => `system_cpu_load_average_${minutes}m_ratio`),
  loads((minutes) => `node_load${minutes}`),
  memory('state'),
  memory('system_memory_state'),
  ...['system_linux_memory_available_bytes', 'system_memory_linux_available_bytes', 'node_memory_MemAvailable_bytes'].flatMap(
    (available) =>
      ['system_memory_limit_bytes', 'node_memory_MemTotal_bytes'].map(
        (total): Row => [
          [
            [available, 30],
            [total, 40],
          ],
          { memory: { used_bytes: 10, total_bytes: 40, percent: 25 } },
        ],
      ),
  ),
  swap('state'),
  swap('system_paging_state'),
  [
    [
      ['node_memory_SwapTotal_bytes', 8],
      ['node_memory_SwapFree_bytes', 6],
    ],
    { memory: { swap_used_bytes: 2, swap_total_bytes: 8, swap_percent: 25 } },
  ],
  [
    [
      ['node_memory_SwapTotal_bytes', 0],
      ['node_memory_SwapFree_bytes', 0],
    ],
    { memory: { swap_used_bytes: 0, swap_total_bytes: 0 } },
  ],
  pair('system_disk_io_bytes_total', 'device', 'direction', READ_WRITE, {
    disk: { read_throughput_bps: 15, write_throughput_bps: 2 },
  }),
  pair('system_disk_io_bytes_total', 'system_device', 'disk_io_direction', READ_WRITE, {
    disk: { read_throughput_bps: 15, write_throughput_bps: 2 },
  }),
  pair('system_disk_operations_total', 'device', 'direction', READ_WRITE, { disk: { read_iops: 15, write_iops: 2 } }),
  twoOf(['node_disk_reads_completed_total', 'node_disk_writes_completed_total'], { disk: { read_iops: 15, write_iops: 2 } }),
  twoOf(['node_disk_read_bytes_total', 'node_disk_written_bytes_total'], {
    disk: { read_throughput_bps: 15, write_throughput_bps: 2 },
  }),
  [
    [
      ['system_network_io_bytes_total{device=eth0,direction=receive}', 0, 100],
      ['system_network_io_bytes_total{network_interface_name=eth1,network_io_direction=transmit}', 0, 50],
      ['system_network_io_bytes_total{device=lo,direction=receive}', 0, 9_000],
      ['system_network_io_bytes_total{device=veth12,direction=receive}', 0, 9_000],
    ],
    { network: { rx_bytes_per_sec: 10, tx_bytes_per_sec: 5 } },
  ],
  pair('system_network_errors_total', 'device', 'direction', RECEIVE_TRANSMIT, {
    network: { rx_errors_per_sec: 915, tx_errors_per_sec: 2 },
  }),
  twoOf(['node_network_receive_bytes_total', 'node_network_transmit_bytes_total'], {
    network: { rx_bytes_per_sec: 15, tx_bytes_per_sec: 2 },
  }),
  twoOf(['node_network_receive_errs_total', 'node_network_transmit_errs_total'], {
    network: { rx_errors_per_sec: 15, tx_errors_per_sec: 2 },
  }),
  tcp('system_network_connections', 'protocol=tcp,state', STATES),
  tcp('system_network_connection_count', 'network_transport=tcp,network_connection_state', LATER_STATES),
  tcp('node_tcp_connection_states', 'state', NODE_STATES),
  [[['node_netstat_Tcp_CurrEstab', 5]], { network: { active_connections: 5 }, tcp: { established: 5 } }],
  [[['node_netstat_Tcp_RetransSegs', 5, 10]], { tcp: { retransmits_per_sec: 0.5 } }],
  [[['node_netstat_Tcp_OutRsts', 5, 10]], { tcp: { resets_per_sec: 0.5 } }],
  filesystem('mountpoint', 'state', 'type'),
  filesystem('system_filesystem_mountpoint', 'system_filesystem_state', 'system_filesystem_type'),
  [
    [
      ['node_filesystem_size_bytes{fstype=ext4,mountpoint=/}', 150],
      ['node_filesystem_free_bytes{fstype=ext4,mountpoint=/}', 120],
      ['node_filesystem_avail_bytes{fstype=ext4,mountpoint=/}', 70],
      ['node_filesystem_avail_bytes{fstype=tmpfs,mountpoint=/run}', 0],
    ],
    { disk: { usage_percent: 30 } },
  ],
]

describe('the sample of a host', () => {
  it.each(ROWS.map(([series, values]) => [series[0]?.[0], series, values] as const))('comes from %s', (_, series, values) => {
    const sample = newestOf(series.map(([text, ...points]) => toSeries(text, ...points)))
    expect(Object.keys(sample ?? {}).toSorted()).toEqual(Object.keys(values).toSorted())
    for (const [group, fields] of Object.entries(values)) {
      const found: Record<string, unknown> = { ...sample?.[group as 'cpu'] }
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(fields as object).toSorted())
      for (const [name, value] of Object.entries(fields as object))
        expect([name, found[name]]).toEqual([name, expect.closeTo(value)])
    }
  })

  it('has a row above for each alias', () => {
    const names = new Set(ROWS.flatMap(([series]) => series.map(([text]) => text.replace(/\{.*/, ''))))
    expect([...HOST_ALIASES.keys()].filter((name) => !names.has(name))).toEqual([])
  })

  it('has rates only between two readings of a counter, and none after a reset', () => {
    const name = 'node_netstat_Tcp_OutRsts'
    const read = (state: HostState, ...points: number[]) => {
      const { samples, state: next } = toHostSamples([toSeries(name, ...points)], state)
      return { rates: samples.map(({ atMs, values }) => [atMs - NOW, values.tcp?.resets_per_sec]), next }
    }
    const first = read(NEW_HOST, 10)
    expect(first.rates).toEqual([])
    expect(read(first.next, 10, 20, 5, 25).rates).toEqual([
      [10_000, 1],
      [30_000, 2],
    ])
  })

  it('takes readings within a second as one, and drops a counter after an hour', () => {
    const at = (series: ReceivedSeries, ms: number): ReceivedSeries => ({
      ...series,
      times: series.times.map((time) => time + ms),
    })
    const series = [toSeries('node_load1', 1, 2), at(toSeries('node_load5', 3, 4), 1_000), at(toSeries('node_load15', 5), 1_001)]
    expect(toHostSamples(series, NEW_HOST).samples).toEqual([
      { atMs: NOW + 1_000, values: { cpu: { load_1: 1, load_5: 3 } } },
      { atMs: NOW + 1_001, values: { cpu: { load_15: 5 } } },
      { atMs: NOW + 11_000, values: { cpu: { load_1: 2, load_5: 4 } } },
    ])
    const { state } = toHostSamples([toSeries('node_netstat_Tcp_OutRsts', 5)], NEW_HOST)
    expect(toHostSamples([at(toSeries('node_load1', 5), 3_600_000)], state).state.counters.size).toBe(1)
    expect(toHostSamples([at(toSeries('node_load1', 5), 3_600_001)], state).state.counters.size).toBe(0)
  })

  it('leaves out stale markers and series of other things', () => {
    expect(toHostSamples([toSeries('node_load1', Number.NaN), toSeries('http_requests_total', 5)], NEW_HOST).samples).toEqual([])
    expect(toHostSamples([toSeries('node_cpu_seconds_total{mode=constructor}', 1, 2)], NEW_HOST).samples).toEqual([])
  })

  it('comes from what a collector sends', () => {
    const dataPoints = [
      { timeUnixNano: `${NOW}000000`, asInt: '7', attributes: [{ key: 'state', value: { stringValue: 'used' } }] },
    ]
    const metrics = [{ name: 'system.memory.usage', unit: 'By', sum: { aggregationTemporality: 2, dataPoints } }]
    const { series } = decodeOtlpJson({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })
    expect(newestOf(series)).toEqual({ memory: { used_bytes: 7, total_bytes: 7, percent: 100 } })
  })
})
