import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../../wire/wire.ts'
import type { METRIC_FIELDS, MetricGroup } from './fields.ts'
import { groupsOf } from './groups.ts'
import {
  MAX_FAILED_UNITS,
  MAX_MISSING_PROCESSES,
  MAX_MOUNT_LENGTH,
  MAX_PROCESS_NAME_LENGTH,
  MAX_SAMPLES_PER_BATCH,
  MAX_UNIT_NAME_LENGTH,
} from './limits.ts'

/** The values of one sample by group and field; absent or null where the host cannot measure them. */
export type SampleValues = { [G in MetricGroup]?: { [F in keyof (typeof METRIC_FIELDS)[G]]?: number | null } }

export const Sample = Type.Object(
  { at: Timestamp, ...groupsOf(() => Type.Optional(Nullable(Type.Number()))) },
  { $id: 'Sample', description: "One reading of all groups at one instant of the agent's clock" },
)

export const SampleColumns = Type.Object(
  {
    at_ms: Type.Array(Type.Integer(), {
      minItems: 1,
      maxItems: MAX_SAMPLES_PER_BATCH,
      description: 'milliseconds since 1970',
    }),
    ...groupsOf(() => Type.Optional(Type.Array(Nullable(Type.Number())))),
  },
  {
    $id: 'SampleColumns',
    description: 'The samples of a batch by columns: every list is as long as `at_ms`, null where a value is absent',
  },
)

/** Numbers by group and field, one per instant in `at_ms`: the form in which an agent sends. */
export interface SampleColumnsBody {
  at_ms: number[]
  cpu?: Record<string, (number | null)[]>
  memory?: Record<string, (number | null)[]>
  disk?: Record<string, (number | null)[]>
  network?: Record<string, (number | null)[]>
  tcp?: Record<string, (number | null)[]>
  host?: Record<string, (number | null)[]>
}

/** Rates are stored in thousandths. */
const MAX_RATE = Math.floor(Number.MAX_SAFE_INTEGER / 1_000)

export const Filesystem = Type.Object(
  {
    mount: Type.String({ minLength: 1, maxLength: MAX_MOUNT_LENGTH, examples: ['/'] }),
    fs_type: Type.String({ maxLength: 64, examples: ['ext4'] }),
    used_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [17_179_869_184] }),
    total_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [42_949_672_960] }),
    percent: Type.Number({ minimum: 0, maximum: 100, examples: [41.5] }),
    inodes_percent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'absent for a filesystem without a fixed number of inodes',
        examples: [3.5],
      }),
    ),
  },
  { $id: 'Filesystem' },
)
export type Filesystem = Static<typeof Filesystem>

export const NetworkInterface = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, examples: ['eth0'] }),
    rx_bytes_per_sec: Nullable(Type.Number({ minimum: 0, maximum: MAX_RATE, examples: [1_200.5] })),
    tx_bytes_per_sec: Nullable(Type.Number({ minimum: 0, maximum: MAX_RATE, examples: [830] })),
  },
  { $id: 'NetworkInterface' },
)
export type NetworkInterface = Static<typeof NetworkInterface>

export const Process = Type.Object(
  {
    pid: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [812] }),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_PROCESS_NAME_LENGTH,
      description: 'the command name only, never its arguments',
      examples: ['postgres'],
    }),
    cpu_percent: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'of the whole machine, since the previous push; null while unknown',
        examples: [6.25],
      }),
    ),
    memory_bytes: Nullable(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'resident memory', examples: [402_653_184] }),
    ),
  },
  { $id: 'Process', description: 'A process among those with the highest CPU or memory use' },
)
export type Process = Static<typeof Process>

/** State of a host in addition to its samples. Unknown fields are omitted. */
export const HostState = Type.Object(
  {
    uptime_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    logged_in_users: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    failed_units: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_UNIT_NAME_LENGTH }), { maxItems: MAX_FAILED_UNITS }),
    ),
    reboot_required: Type.Optional(Type.Boolean()),
    clock_offset_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "how far the clock is off the backend's, in either direction",
      }),
    ),
    missing_processes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_PROCESS_NAME_LENGTH }), {
        maxItems: MAX_MISSING_PROCESSES,
        description: 'names of watched processes that do not run; omitted where none is watched',
      }),
    ),
  },
  { $id: 'HostState', description: 'State of a host in addition to its samples. Fields that the host cannot read are omitted' },
)
export type HostState = Static<typeof HostState>
