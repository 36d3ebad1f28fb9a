import { ENTITY_DECIMALS, ENTITY_KIND_NAMES, ENTITY_KINDS, type EntityKindName, type EntityUnit } from './entities/kinds.ts'
import { MAX_ENTITY_ATTRIBUTE_LENGTH, MAX_ENTITY_NAME_LENGTH, MAX_EVENT_LINE_LENGTH, MAX_EVENT_LINES } from './entities/limits.ts'
import { METRIC_FIELDS, METRIC_GROUPS, type MetricField, UNIT_DECIMALS } from './metrics/fields.ts'
import {
  MAX_FAILED_UNITS,
  MAX_FILESYSTEMS,
  MAX_INTERFACES,
  MAX_MISSING_PROCESSES,
  MAX_MOUNT_LENGTH,
  MAX_PROCESS_NAME_LENGTH,
  MAX_PROCESSES,
  MAX_UNIT_NAME_LENGTH,
} from './metrics/limits.ts'

/**
 * What a backend takes of an agent, without the schema library, which an agent does not load. A backend refuses a whole push or all facts
 * for one value outside of these bounds. A test compares them with the published schemas.
 */
export type Bounds =
  | { type: 'number' | 'integer'; minimum: number; maximum: number; isNullable?: true }
  | { type: 'string'; minLength: number; maxLength: number }
  | { type: 'boolean' }
  | { type: 'array'; items: Bounds; maxItems: number }
  /** Without a value for one of `required` there is no object. Other properties than these are not looked at. */
  | { type: 'object'; properties: Readonly<Record<string, Bounds>>; required: readonly string[] }

const MAX_INTEGER = Number.MAX_SAFE_INTEGER
const number = (minimum: number, maximum: number): Bounds => ({ type: 'number', minimum, maximum })
const integer = (minimum: number, maximum: number): Bounds => ({ type: 'integer', minimum, maximum })
const text = (minLength: number, maxLength: number): Bounds => ({ type: 'string', minLength, maxLength })
const list = (maxItems: number, items: Bounds): Bounds => ({ type: 'array', items, maxItems })
const orNull = (bounds: Bounds): Bounds => ({ ...bounds, isNullable: true }) as Bounds
const complete = (properties: Record<string, Bounds>): Bounds => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const partial = (properties: Record<string, Bounds>, required: string[] = []): Bounds => ({
  type: 'object',
  properties,
  required,
})

const mapped = <T>(names: readonly string[], boundsOf: (name: string) => T): Record<string, T> =>
  Object.fromEntries(names.map((name) => [name, boundsOf(name)]))

/** The greatest value of a unit that can be stored with its decimals. */
export const greatestOf = (unit: EntityUnit): number =>
  unit === 'number' ? Number.MAX_VALUE : Math.floor(MAX_INTEGER / 10 ** ENTITY_DECIMALS[unit])

/** Of a field of samples. */
export const greatestSampleOf = ({ unit }: Pick<MetricField, 'unit'>): number =>
  unit === 'percent' ? 100 : Math.floor(MAX_INTEGER / 10 ** UNIT_DECIMALS[unit])

const MAX_RATE = greatestSampleOf({ unit: 'rate' })

export const SAMPLE_BOUNDS = partial(
  mapped(METRIC_GROUPS, (group) => {
    const fields: Readonly<Record<string, MetricField>> = METRIC_FIELDS[group as keyof typeof METRIC_FIELDS]
    return partial(mapped(Object.keys(fields), (name) => number(0, greatestSampleOf(fields[name] as MetricField))))
  }),
)

/** What a batch reports in addition to samples, entities left out. */
export const STATE_BOUNDS = partial({
  filesystems: list(
    MAX_FILESYSTEMS,
    partial(
      {
        mount: text(1, MAX_MOUNT_LENGTH),
        fs_type: text(0, 64),
        used_bytes: integer(0, MAX_INTEGER),
        total_bytes: integer(0, MAX_INTEGER),
        percent: number(0, 100),
        inodes_percent: number(0, 100),
      },
      ['mount', 'fs_type', 'used_bytes', 'total_bytes', 'percent'],
    ),
  ),
  interfaces: list(
    MAX_INTERFACES,
    complete({
      name: text(1, 64),
      rx_bytes_per_sec: orNull(number(0, MAX_RATE)),
      tx_bytes_per_sec: orNull(number(0, MAX_RATE)),
    }),
  ),
  processes: list(
    MAX_PROCESSES,
    complete({
      pid: integer(0, MAX_INTEGER),
      name: text(1, MAX_PROCESS_NAME_LENGTH),
      cpu_percent: orNull(number(0, 100)),
      memory_bytes: orNull(integer(0, MAX_INTEGER)),
    }),
  ),
  host: partial({
    uptime_seconds: integer(0, MAX_INTEGER),
    logged_in_users: integer(0, 1_000_000),
    failed_units: list(MAX_FAILED_UNITS, text(1, MAX_UNIT_NAME_LENGTH)),
    reboot_required: { type: 'boolean' },
    clock_offset_seconds: integer(0, MAX_INTEGER),
    missing_processes: list(MAX_MISSING_PROCESSES, text(1, MAX_PROCESS_NAME_LENGTH)),
  }),
})

const ENTITY_NAME = text(1, MAX_ENTITY_NAME_LENGTH)

export const ENTITY_BOUNDS = mapped(ENTITY_KIND_NAMES, (kind) => {
  const { attributes, fields } = ENTITY_KINDS[kind as EntityKindName]
  const units: Readonly<Record<string, { unit: EntityUnit }>> = fields
  return partial(
    {
      name: ENTITY_NAME,
      attributes: partial(mapped(attributes, () => text(0, MAX_ENTITY_ATTRIBUTE_LENGTH))),
      values: partial(
        mapped(Object.keys(units), (name) => {
          const greatest = greatestOf(units[name]?.unit ?? 'number')
          return number(-greatest, greatest)
        }),
      ),
    },
    ['name', 'values'],
  )
}) as Readonly<Record<EntityKindName, Bounds>>

export const ENTITY_EVENT_BOUNDS = partial(
  {
    name: ENTITY_NAME,
    exit_code: integer(-2_147_483_648, 2_147_483_647),
    oom: { type: 'boolean' },
    lines: list(MAX_EVENT_LINES, text(0, MAX_EVENT_LINE_LENGTH)),
  },
  ['name'],
)

/** What a host says of itself; tags come from the config, which bounds them. */
export const FACTS_BOUNDS = partial({
  hostname: text(1, 255),
  os: text(1, 255),
  kernel: text(1, 255),
  arch: text(1, 64),
  agent_version: text(1, 64),
  cpu_model: text(1, 256),
  cpu_cores: integer(1, 65_536),
  memory_bytes: integer(0, MAX_INTEGER),
  ip_addresses: list(64, text(1, 64)),
  container: complete({
    runtime: text(1, 64),
    cgroup_version: orNull(integer(1, 2)),
    memory_limit_bytes: orNull(integer(0, MAX_INTEGER)),
    cpu_limit_cores: orNull(number(0, 65_536)),
  }),
  dropped_samples: integer(0, MAX_INTEGER),
  damaged_records: integer(0, MAX_INTEGER),
})
