interface MetricPushTable {
  organization: number
  server: number
  t0: number
  digest: string
  t_last: number
  received_at: number
  received_day: string
  samples: number
  data: Buffer
}

interface MetricHourTable {
  organization: number
  server: number
  /** Hours since the epoch. */
  hour: number
  day: string
  samples: number
  header: Buffer
  data: Buffer
}

interface MetricSamplesTable {
  organization: number
  server: number
  day: string
  samples: number
  /** Where the sections of `data` end, after a 0. */
  ends: number[]
  data: Buffer
}

interface MetricDayTable {
  organization: number
  server: number
  day: string
  /** Where the sections of `data` end, after a 0. */
  ends: number[]
  header: Buffer
  data: Buffer
}

interface MetricDimensionTable {
  organization: number
  server: number
  kind: 'mount' | 'interface'
  slot: number
  name: string
  /** Days since the epoch. */
  last_day: number
}

interface MetricLateTable {
  /** When the first late sample came, ms. */
  marked_at: number
  hour: number
  organization: number
  server: number
}

interface MetricProgressTable {
  name: 'hour' | 'day'
  /** The last compacted hour or day, counted from the epoch. */
  done: number
}

export interface SampleTables {
  metric_push: MetricPushTable
  metric_hour: MetricHourTable
  metric_samples: MetricSamplesTable
  metric_day: MetricDayTable
  metric_dimension: MetricDimensionTable
  metric_late: MetricLateTable
  metric_progress: MetricProgressTable
}
