import { DAY_MS, type HealthCode } from '@vedette/shared'
import type { Thing, ThingKind } from './thing.ts'

/** A finding about things of one kind: it begins when the value reaches the limit. */
export interface Declaration {
  code: HealthCode
  kind: ThingKind
  field: string
  /** The metric of a rule that says the same of the host as a whole. */
  says?: string
  /** Of a flag: none is shown. Undefined: this thing has no limit, and there is no finding. */
  limit: number | ((thing: Thing) => number | undefined)
  /** It begins at the limit and above, or at the limit and below. */
  side: 'at_least' | 'at_most'
  /** How far back from the limit the value must go until the finding ends: a value that swings around it is one finding. */
  slack?: number
  /** How long the value must be there before it is a finding. */
  forSeconds?: number
  /** The finding begins when the value grows, and ends that long after it has last grown. */
  afterGrowthMs?: number
  /** Values outside of it are faults of the device, and no finding. */
  range?: readonly [least: number, greatest: number]
  /** Things that it is about; default: all of the kind. */
  when?(thing: Thing): boolean
  /** One sentence with the value and the limit. */
  text(thing: Thing, value: number, limit: number): string
}

const FLAG = { limit: 1, side: 'at_least', range: [0, 1] } as const
const NO_FLAG = { limit: 0, side: 'at_most', range: [0, 1] } as const
const percent = [0, 100] as const
/** Counters of devices: more is a misread register. */
const count = [0, 1e6] as const
const MINUTES = 60
const GIB = 2 ** 30

const isPool = ({ attributes }: Thing): boolean => attributes['type'] === 'zfs' || attributes['type'] === 'btrfs'
const isUps = ({ attributes }: Thing): boolean => attributes['type'] === 'ups'

/** Images that are full by nature: snaps, media, firmware. On macOS an opened disk image is a volume of its own. */
const READ_ONLY_TYPES = new Set(['squashfs', 'iso9660', 'udf', 'cd9660', 'cdfs', 'erofs', 'cramfs', 'romfs'])
const isWritable = ({ name, attributes }: Thing): boolean =>
  !READ_ONLY_TYPES.has((attributes['fs_type'] ?? '').toLowerCase()) && !name.startsWith('/Volumes/')

/** Percent; a large filesystem of which 5 % are free is not full: above 5 GiB nothing is. */
function fullAt({ values: { total_bytes: total = 0 } }: Thing): number | undefined {
  return total > 0 ? Math.max(95, Number((100 - (500 * GIB) / total).toFixed(2))) : undefined
}

const KERNEL_LIMITS: Readonly<Record<string, string>> = {
  conntrack: 'connection tracking table',
  file_handles: 'table of open files',
  processes: 'table of processes',
}

/** `1 time`, `3 times`. */
const times = (value: number, one: string, many = `${one}s`): string => `${round(value)} ${value === 1 ? one : many}`
const round = (value: number): number => Number(value.toFixed(value < 10 ? 1 : 0))

/**
 * All findings. Limits are such that a healthy host shows nothing in a normal week: a value that most hosts reach at times needs a
 * duration, and what is normal for some kind of host is no finding. Of two findings with one code about one thing the first is shown.
 */
export const DECLARATIONS: readonly Declaration[] = [
  {
    code: 'disk_failing',
    kind: 'disk',
    field: 'healthy',
    ...NO_FLAG,
    text: ({ name }) => `Disk ${name} reports that it is failing`,
  },
  // Disks live for years with a few of them.
  {
    code: 'disk_failing',
    kind: 'disk',
    field: 'reallocated_sectors',
    limit: 50,
    side: 'at_least',
    range: count,
    text: ({ name }, value, limit) => `Disk ${name} has ${value} reallocated sectors (limit ${limit})`,
  },
  {
    code: 'disk_failing',
    kind: 'disk',
    field: 'pending_sectors',
    limit: 10,
    side: 'at_least',
    range: count,
    text: ({ name }, value, limit) => `Disk ${name} has ${value} sectors that it cannot read (limit ${limit})`,
  },
  {
    code: 'disk_failing',
    kind: 'disk',
    field: 'media_errors',
    limit: 10,
    side: 'at_least',
    range: count,
    text: ({ name }, value, limit) => `Disk ${name} has counted ${value} media errors (limit ${limit})`,
  },
  {
    code: 'array_degraded',
    kind: 'array',
    field: 'healthy',
    ...NO_FLAG,
    forSeconds: 1 * MINUTES,
    when: (thing) => !isPool(thing),
    text: ({ name, values }) =>
      `Array ${name} is degraded${values['failed_devices'] ? `: ${values['failed_devices']} of ${values['devices'] ?? '?'} devices are missing` : ''}`,
  },
  {
    code: 'pool_degraded',
    kind: 'array',
    field: 'healthy',
    ...NO_FLAG,
    forSeconds: 1 * MINUTES,
    when: isPool,
    text: ({ name, attributes, values }) =>
      values['errors'] && !values['failed_devices']
        ? `Pool ${name} has counted ${times(values['errors'], 'error')}`
        : `Pool ${name} is ${attributes['state'] ?? 'degraded'}`,
  },
  {
    code: 'filesystem_full',
    kind: 'filesystem',
    field: 'percent',
    limit: fullAt,
    slack: 1,
    side: 'at_least',
    range: percent,
    when: isWritable,
    text: ({ name }, value, limit) => `${name} is ${round(value)} % full (limit ${round(limit)} %)`,
  },
  {
    code: 'inodes_full',
    kind: 'filesystem',
    field: 'inodes_percent',
    limit: 95,
    slack: 1,
    side: 'at_least',
    range: percent,
    when: isWritable,
    text: ({ name }, value, limit) => `${name} has used ${round(value)} % of its inodes (limit ${limit} %)`,
  },
  {
    code: 'memory_errors',
    kind: 'memory',
    field: 'uncorrected_errors',
    limit: 1,
    side: 'at_least',
    range: count,
    text: ({ name }, value) => `Memory ${name} has counted ${times(value, 'uncorrected error')} since the start`,
  },
  // One at times is normal; a bad module counts thousands.
  {
    code: 'memory_errors',
    kind: 'memory',
    field: 'corrected_errors_per_day',
    limit: 100,
    slack: 50,
    side: 'at_least',
    text: ({ name }, value, limit) => `Memory ${name} corrects ${round(value)} errors a day (limit ${limit})`,
  },
  {
    code: 'temperature_critical',
    kind: 'sensor',
    field: 'temperature_celsius',
    // Devices that know none report 0, 127 or the like.
    limit: ({ values: { critical_celsius: limit = 0 } }) => (limit >= 45 && limit <= 120 ? limit : undefined),
    slack: 3,
    side: 'at_least',
    range: [-40, 150],
    // Processors of laptops are there for minutes, and slow down.
    forSeconds: 15 * MINUTES,
    text: ({ name }, value, limit) => `${name} is at ${round(value)} °C (critical limit ${limit} °C)`,
  },
  {
    code: 'battery_low',
    kind: 'battery',
    field: 'low_battery',
    ...FLAG,
    when: isUps,
    text: ({ name }) => `The battery of UPS ${name} is low`,
  },
  {
    code: 'battery_low',
    kind: 'battery',
    field: 'charge_percent',
    limit: 20,
    slack: 5,
    side: 'at_most',
    range: percent,
    when: (thing) => isUps(thing) && thing.values['on_battery'] === 1,
    text: ({ name }, value, limit) => `The battery of UPS ${name} is at ${round(value)} % (limit ${limit} %)`,
  },
  {
    code: 'ups_on_battery',
    kind: 'battery',
    field: 'on_battery',
    ...FLAG,
    // A self-test takes some seconds.
    forSeconds: 1 * MINUTES,
    when: isUps,
    text: ({ name, values }) =>
      `UPS ${name} runs on battery${values['charge_percent'] === undefined ? '' : `, which is at ${round(values['charge_percent'])} %`}`,
  },
  {
    code: 'unit_failed',
    says: 'host.failed_units',
    kind: 'unit',
    field: 'failed',
    ...FLAG,
    text: ({ name }) => `Unit ${name} has failed`,
  },
  {
    code: 'unit_failed',
    says: 'host.failed_units',
    kind: 'host',
    field: 'more_failed_units',
    limit: 1,
    side: 'at_least',
    text: (_, value) => `${times(value, 'more unit')} ${value === 1 ? 'has' : 'have'} failed`,
  },
  {
    code: 'container_oom',
    kind: 'container',
    field: 'out_of_memory_day',
    limit: 1,
    side: 'at_least',
    text: ({ name }, value) => `Container ${name} was killed for lack of memory ${times(value, 'time')} in the last 24 hours`,
  },
  // A process in it was killed, and the container goes on.
  {
    code: 'container_oom',
    kind: 'container',
    field: 'oom_kills',
    limit: 1,
    side: 'at_least',
    range: count,
    afterGrowthMs: DAY_MS,
    text: ({ name }, value) =>
      `The kernel killed ${times(value, 'process', 'processes')} of container ${name} for lack of memory`,
  },
  {
    code: 'container_unhealthy',
    kind: 'container',
    field: 'healthy',
    ...NO_FLAG,
    forSeconds: 5 * MINUTES,
    when: ({ values }) => values['running'] === 1,
    text: ({ name }) => `The health check of container ${name} fails`,
  },
  {
    code: 'container_restarting',
    kind: 'container',
    field: 'deaths_quarter',
    limit: 3,
    slack: 2,
    side: 'at_least',
    text: ({ name, values }, value) =>
      `Container ${name} restarts: it ended ${times(value, 'time')} in 15 minutes${exitCode(values['exit_code'])}`,
  },
  // What ends within the hour is a job. Ends that somebody requested are not counted as deaths.
  {
    code: 'container_exited',
    kind: 'container',
    field: 'deaths_day',
    limit: 1,
    side: 'at_least',
    when: ({ values }) => values['running'] === 0 && (values['last_run_seconds'] ?? 0) >= 3_600,
    text: ({ name, values }) => `Container ${name} has ended and does not run${exitCode(values['exit_code'])}`,
  },
  {
    code: 'fills_soon',
    kind: 'filesystem',
    field: 'days_until_full',
    limit: 7,
    slack: 3,
    side: 'at_most',
    when: (thing) => isWritable(thing) && (thing.values['percent'] ?? 0) < 95,
    text: ({ name }, value) => `${name} is full in ${times(value, 'day')} if it grows as it did`,
  },
  // 255 is what a disk reports that does not know.
  {
    code: 'disk_worn',
    kind: 'disk',
    field: 'used_percent',
    limit: 90,
    side: 'at_least',
    range: [0, 254],
    text: ({ name }, value, limit) => `Disk ${name} has used ${round(value)} % of its rated life (limit ${limit} %)`,
  },
  {
    code: 'disk_worn',
    kind: 'disk',
    field: 'spare_percent',
    limit: 10,
    side: 'at_most',
    range: [1, 100],
    text: ({ name }, value, limit) => `Disk ${name} has ${round(value)} % of its spare blocks left (limit ${limit} %)`,
  },
  // Of the processor and the disks pressure is work: a build or a backup makes it for hours.
  {
    code: 'pressure',
    says: 'memory.percent',
    kind: 'pressure',
    field: 'full_percent',
    limit: 25,
    slack: 15,
    side: 'at_least',
    range: percent,
    forSeconds: 10 * MINUTES,
    when: ({ name }) => name === 'memory',
    text: (_, value, limit) => `All tasks wait for memory ${round(value)} % of the time (limit ${limit} %)`,
  },
  {
    code: 'kernel_limit',
    kind: 'limit',
    field: 'percent',
    limit: 90,
    slack: 10,
    side: 'at_least',
    range: percent,
    forSeconds: 5 * MINUTES,
    text: ({ name }, value, limit) => `The kernel's ${KERNEL_LIMITS[name] ?? name} is ${round(value)} % full (limit ${limit} %)`,
  },
  {
    code: 'clock_off',
    kind: 'host',
    field: 'clock_offset_seconds',
    limit: 30,
    slack: 10,
    side: 'at_least',
    forSeconds: 10 * MINUTES,
    text: (_, value, limit) => `The clock is ${round(value)} s off (limit ${limit} s)`,
  },
  {
    code: 'samples_dropped',
    kind: 'agent',
    field: 'dropped_samples',
    limit: 1,
    side: 'at_least',
    afterGrowthMs: DAY_MS,
    text: (_, value) => `The agent dropped samples that it could not deliver: ${value} since its installation`,
  },
  {
    code: 'samples_dropped',
    kind: 'agent',
    field: 'damaged_records',
    limit: 1,
    side: 'at_least',
    afterGrowthMs: DAY_MS,
    text: (_, value) => `The agent skipped damaged records of its spool: ${value} since its installation`,
  },
  {
    code: 'security_updates',
    kind: 'updates',
    field: 'security',
    limit: 1,
    side: 'at_least',
    range: count,
    text: ({ name }, value) => `${times(value, 'security update')} of ${name} ${value === 1 ? 'is' : 'are'} pending`,
  },
  {
    code: 'reboot_required',
    says: 'host.reboot_required',
    kind: 'host',
    field: 'reboot_required',
    ...FLAG,
    text: () => 'An update needs a restart of the host',
  },
]

function exitCode(code: number | undefined): string {
  return code === undefined ? '' : `, exit code ${code}`
}
