/**
 * The metric fields of a sample. The wire schema, the rounding at ingest, the block codec's dictionary and the responses are
 * derived from this table.
 *
 * `id` is the field's number in stored blocks. Ids are never reused and never change; a new field takes the next free one.
 */
export type MetricUnit = 'percent' | 'load' | 'bytes' | 'count' | 'rate'

/** Decimals kept on the wire and at rest; finer values are rounded at ingest. */
export const UNIT_DECIMALS: Readonly<Record<MetricUnit, number>> = { percent: 2, load: 2, rate: 3, bytes: 0, count: 0 }

/**
 * How the field is aggregated over a period: the newest value, the mean (a rate, as integer where `whole`),
 * or newest, mean and maximum under three names.
 */
export type MetricAnswer = 'newest' | 'mean'

export interface MetricField {
  id: number
  unit: MetricUnit
  answer: MetricAnswer
  /** The document types this mean as an integer. */
  whole?: boolean
}

const field = (id: number, unit: MetricUnit, answer: MetricAnswer = 'newest'): MetricField => ({ id, unit, answer })
const wholeRate = (id: number): MetricField => ({ id, unit: 'rate', answer: 'mean', whole: true })
const rate = (id: number): MetricField => ({ id, unit: 'rate', answer: 'mean' })

export const METRIC_FIELDS = {
  cpu: {
    /** Busy share of the whole machine: idle and iowait are idle, steal is busy. Source: /proc/stat. */
    percent: field(1, 'percent'),
    user_percent: field(2, 'percent'),
    system_percent: field(3, 'percent'),
    iowait_percent: field(4, 'percent'),
    steal_percent: field(5, 'percent'),
    cores: field(6, 'count'),
    /** Source of the three: /proc/loadavg. */
    load_1: field(7, 'load'),
    load_5: field(8, 'load'),
    load_15: field(9, 'load'),
  },
  memory: {
    /** Total minus available. Source: /proc/meminfo. */
    used_bytes: field(10, 'bytes'),
    total_bytes: field(11, 'bytes'),
    percent: field(12, 'percent'),
    swap_used_bytes: field(13, 'bytes'),
    swap_total_bytes: field(14, 'bytes'),
    swap_percent: field(15, 'percent'),
  },
  disk: {
    /** Whole physical disks, summed. Source of the four: /proc/diskstats. */
    read_iops: wholeRate(16),
    write_iops: wholeRate(17),
    /** Bytes per second, despite the name. */
    read_throughput_bps: wholeRate(18),
    write_throughput_bps: wholeRate(19),
    /** The fullest local filesystem as `df` reports it: used / (used + available). */
    usage_percent: field(20, 'percent'),
  },
  network: {
    /** Physical interfaces summed, no loopback. Source: /proc/net/dev. */
    rx_bytes_per_sec: wholeRate(21),
    tx_bytes_per_sec: wholeRate(22),
    /** Established TCP connections. */
    active_connections: field(23, 'count'),
    rx_errors_per_sec: rate(24),
    tx_errors_per_sec: rate(25),
  },
  tcp: {
    established: field(26, 'count'),
    syn_sent: field(27, 'count'),
    syn_recv: field(28, 'count'),
    fin_wait: field(29, 'count'),
    time_wait: field(30, 'count'),
    close_wait: field(31, 'count'),
    last_ack: field(32, 'count'),
    listen: field(33, 'count'),
    closing: field(34, 'count'),
    /** Source of the two: /proc/net/snmp. */
    retransmits_per_sec: rate(35),
    resets_per_sec: rate(36),
  },
  /** Counts and states of the last reading of the host state, about once a minute. */
  host: {
    failed_units: field(37, 'count'),
    /** 1: an update requires a restart, 0: none does. */
    reboot_required: field(38, 'count'),
    /** Of the processes that the agent watches. */
    missing_processes: field(39, 'count'),
  },
} as const satisfies Record<string, Record<string, MetricField>>

export type MetricGroup = keyof typeof METRIC_FIELDS
export const METRIC_GROUPS = Object.keys(METRIC_FIELDS) as MetricGroup[]

export interface NamedField extends MetricField {
  group: MetricGroup
  name: string
}

/** All fields in the order of the table. */
export const ALL_FIELDS: readonly NamedField[] = METRIC_GROUPS.flatMap((group) =>
  Object.entries(METRIC_FIELDS[group] as Record<string, MetricField>).map(([name, entry]) => ({ ...entry, group, name })),
)
