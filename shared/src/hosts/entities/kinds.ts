import { type MetricUnit, UNIT_DECIMALS } from '../metrics/fields.ts'

/** `number` has no unit and any scale: it is stored with 15 significant digits. */
export type EntityUnit = MetricUnit | 'seconds' | 'days' | 'celsius' | 'rpm' | 'volts' | 'watts' | 'flag' | 'number'

/** Decimals kept on the wire and at rest. */
export const ENTITY_DECIMALS: Readonly<Record<Exclude<EntityUnit, 'number'>, number>> = {
  ...UNIT_DECIMALS,
  /** Bytes a second over the time between two pushes: fractions would be a third of what is stored. */
  rate: 0,
  seconds: 3,
  days: 2,
  celsius: 1,
  rpm: 0,
  volts: 3,
  watts: 2,
  /** 1: yes, 0: no. */
  flag: 0,
}

export interface EntityField {
  /** Number among the fields of its kind, in stored blocks: it never changes, and a new field takes the next one. */
  id: number
  unit: EntityUnit
  /** Over a period: the newest value, or the mean. */
  answer: 'newest' | 'mean'
}

/** A kind of thing that a host has several of, and that come and go. Everything about it is derived from this description. */
export interface EntityKindSpec {
  /** Number in stored blocks; never reused. */
  id: number
  /** Texts that describe it; only the newest are kept. */
  attributes: readonly string[]
  fields: Readonly<Record<string, EntityField>>
  /** The field by which a list is sorted, highest first; absent: by name. */
  sort?: string
}

const newest = (id: number, unit: EntityUnit): EntityField => ({ id, unit, answer: 'newest' })
const mean = (id: number, unit: EntityUnit): EntityField => ({ id, unit, answer: 'mean' })

export const ENTITY_KINDS = {
  /** Docker and Podman. Named `project/service` for compose (with `/number` from the second on), else by the container's name. */
  container: {
    id: 1,
    attributes: [
      'engine',
      'image',
      'state',
      'health',
      'project',
      'service',
      'container_id',
      'ports',
      'started_at',
      'newer_image',
    ],
    fields: {
      /** Of the whole machine, as for processes. Source: cpu.stat of the cgroup. */
      cpu_percent: mean(1, 'percent'),
      /** Without the page cache. Source: memory.current less inactive_file of memory.stat. */
      memory_bytes: newest(2, 'bytes'),
      /** Absent without a limit. */
      memory_limit_bytes: newest(3, 'bytes'),
      /** Of its limit, else of the memory of the host. */
      memory_percent: newest(4, 'percent'),
      network_rx_bytes_per_sec: mean(5, 'rate'),
      network_tx_bytes_per_sec: mean(6, 'rate'),
      /** Source of the two: io.stat of the cgroup. */
      read_bytes_per_sec: mean(7, 'rate'),
      write_bytes_per_sec: mean(8, 'rate'),
      running: newest(9, 'flag'),
      /** Absent for one without a health check. */
      healthy: newest(10, 'flag'),
      /** By its engine, since it was created. */
      restarts: newest(11, 'count'),
      /** Of the last end. */
      exit_code: newest(12, 'count'),
      /** Ends with an exit code other than 0 since the previous push. */
      deaths: newest(13, 'count'),
      /** Processes that the kernel ended for want of memory, since the container started. */
      oom_kills: newest(14, 'count'),
      /** 1: the registry has a newer image of the same tag. Only where the agent may query it. */
      update_available: newest(15, 'flag'),
    },
    sort: 'cpu_percent',
  },
  /** Units of systemd by pattern, services of launchd and Windows. */
  unit: {
    id: 2,
    attributes: ['state', 'sub_state', 'description', 'load_state', 'last_result', 'next_run_at', 'last_run_at'],
    fields: {
      running: newest(1, 'flag'),
      failed: newest(2, 'flag'),
      /** Restarts by systemd since it was loaded. */
      restarts: newest(3, 'count'),
      cpu_percent: mean(4, 'percent'),
      memory_bytes: newest(5, 'bytes'),
      tasks: newest(6, 'count'),
      /** Of a timer: whether its last run succeeded. */
      last_run_succeeded: newest(7, 'flag'),
    },
    sort: 'memory_bytes',
  },
  /** Processes that the agent watches by name, and the busiest by disk. */
  process: {
    id: 3,
    attributes: ['watched'],
    fields: {
      /** How many of the name run. */
      count: newest(1, 'count'),
      cpu_percent: mean(2, 'percent'),
      memory_bytes: newest(3, 'bytes'),
      read_bytes_per_sec: mean(4, 'rate'),
      write_bytes_per_sec: mean(5, 'rate'),
    },
    sort: 'memory_bytes',
  },
  /** Temperatures, fans, voltages and power of hwmon and thermal zones. One of the first four fields each. */
  sensor: {
    id: 4,
    attributes: ['chip', 'label', 'type'],
    fields: {
      temperature_celsius: newest(1, 'celsius'),
      fan_rpm: newest(2, 'rpm'),
      voltage_volts: newest(3, 'volts'),
      power_watts: newest(4, 'watts'),
      /** The critical limit that the device reports, in the unit of its value. */
      critical_celsius: newest(5, 'celsius'),
    },
  },
  /** Health of a disk by S.M.A.R.T. or the NVMe log. */
  disk: {
    id: 5,
    attributes: ['model', 'serial', 'firmware', 'protocol', 'state'],
    fields: {
      healthy: newest(1, 'flag'),
      temperature_celsius: newest(2, 'celsius'),
      power_on_hours: newest(3, 'count'),
      reallocated_sectors: newest(4, 'count'),
      pending_sectors: newest(5, 'count'),
      media_errors: newest(6, 'count'),
      /** Of NVMe: the share of its life that is used, which may exceed 100. */
      used_percent: newest(7, 'percent'),
      spare_percent: newest(8, 'percent'),
      size_bytes: newest(9, 'bytes'),
    },
  },
  /** md, ZFS and btrfs. */
  array: {
    id: 6,
    attributes: ['type', 'level', 'state', 'action'],
    fields: {
      healthy: newest(1, 'flag'),
      devices: newest(2, 'count'),
      failed_devices: newest(3, 'count'),
      sync_percent: newest(4, 'percent'),
      /** Read, write, checksum, corruption and generation errors together. */
      errors: newest(5, 'count'),
      used_bytes: newest(6, 'bytes'),
      size_bytes: newest(7, 'bytes'),
    },
  },
  /** Batteries and UPS. */
  battery: {
    id: 7,
    attributes: ['type', 'model', 'state'],
    fields: {
      charge_percent: newest(1, 'percent'),
      /** Until it is empty, at the present load. */
      runtime_seconds: newest(2, 'seconds'),
      on_battery: newest(3, 'flag'),
      load_percent: newest(4, 'percent'),
      voltage_volts: newest(5, 'volts'),
      power_watts: newest(6, 'watts'),
      /** Capacity when full, of what it was when new. */
      health_percent: newest(7, 'percent'),
      /** As the UPS reports it. */
      low_battery: newest(8, 'flag'),
    },
  },
  gpu: {
    id: 8,
    /** `processes`: the largest users of its memory. */
    attributes: ['model', 'driver', 'uuid', 'bus', 'processes'],
    fields: {
      utilization_percent: newest(1, 'percent'),
      memory_used_bytes: newest(2, 'bytes'),
      memory_total_bytes: newest(3, 'bytes'),
      temperature_celsius: newest(4, 'celsius'),
      power_watts: newest(5, 'watts'),
      fan_percent: newest(6, 'percent'),
    },
    sort: 'utilization_percent',
  },
  /** Pressure stall information: `cpu`, `memory` and `io`. Shares of the time in which some or all tasks waited. */
  pressure: {
    id: 9,
    attributes: [],
    fields: { some_percent: mean(1, 'percent'), full_percent: mean(2, 'percent') },
  },
  /** What the kernel has a bounded number of: `conntrack`, `file_handles`, `processes`. */
  limit: {
    id: 10,
    attributes: [],
    fields: { used: newest(1, 'count'), maximum: newest(2, 'count'), percent: newest(3, 'percent') },
  },
  /** Pending updates, by package manager. */
  updates: {
    id: 11,
    attributes: [],
    fields: {
      pending: newest(1, 'count'),
      security: newest(2, 'count'),
      /** Since the oldest pending one was first seen. */
      oldest_days: newest(3, 'days'),
      /** Of the lists of packages. */
      lists_age_days: newest(4, 'days'),
    },
  },
  /** Memory controllers that count errors. */
  memory: {
    id: 12,
    attributes: ['type'],
    fields: { corrected_errors: newest(1, 'count'), uncorrected_errors: newest(2, 'count') },
  },
  /** The host's own metrics, from text files and StatsD. Named as in Prometheus: `name{label="value"}`. */
  metric: {
    id: 13,
    attributes: ['type', 'source', 'help'],
    fields: { value: newest(1, 'number') },
  },
} as const satisfies Record<string, EntityKindSpec>

export type EntityKindName = keyof typeof ENTITY_KINDS
export const ENTITY_KIND_NAMES = Object.keys(ENTITY_KINDS) as EntityKindName[]

export const ENTITY_EVENT_TYPES = ['died', 'unhealthy'] as const
/** `died`: it ended with another exit code than 0. `unhealthy`: its health check failed. */
export type EntityEventType = (typeof ENTITY_EVENT_TYPES)[number]
