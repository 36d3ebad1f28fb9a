import { type Static, Type } from 'typebox'
import { MAX_ENTITIES, MAX_ENTITY_EVENTS } from '../entities/limits.ts'
import { EntityEvent, EntityReading } from '../entities/reading.ts'
import { Nullable, Ref, Timestamp } from '../wire.ts'
import type { METRIC_FIELDS, MetricGroup } from './fields.ts'
import { groupsOf } from './groups.ts'
import {
  MAX_BATCHES_PER_REQUEST,
  MAX_FAILED_UNITS,
  MAX_FILESYSTEMS,
  MAX_INTERFACES,
  MAX_MISSING_PROCESSES,
  MAX_MOUNT_LENGTH,
  MAX_PROCESS_NAME_LENGTH,
  MAX_PROCESSES,
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
    mount: Type.String({ minLength: 1, maxLength: MAX_MOUNT_LENGTH }),
    fs_type: Type.String({ maxLength: 64 }),
    used_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    total_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    percent: Type.Number({ minimum: 0, maximum: 100 }),
  },
  { $id: 'Filesystem' },
)
export type Filesystem = Static<typeof Filesystem>

export const NetworkInterface = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    rx_bytes_per_sec: Nullable(Type.Number({ minimum: 0, maximum: MAX_RATE })),
    tx_bytes_per_sec: Nullable(Type.Number({ minimum: 0, maximum: MAX_RATE })),
  },
  { $id: 'NetworkInterface' },
)
export type NetworkInterface = Static<typeof NetworkInterface>

export const Process = Type.Object(
  {
    pid: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_PROCESS_NAME_LENGTH,
      description: 'the command name only, never its arguments',
    }),
    cpu_percent: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'of the whole machine, since the previous push; null while unknown',
      }),
    ),
    memory_bytes: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'resident memory' })),
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

const BatchFields = {
  batch_id: Type.String({ format: 'uuid' }),
  sent_at: Timestamp,
  agent_version: Type.String({ minLength: 1, maxLength: 64 }),
  samples: Type.Optional(Type.Array(Ref(Sample), { minItems: 1, maxItems: MAX_SAMPLES_PER_BATCH })),
  columns: Type.Optional(Ref(SampleColumns)),
  filesystems: Type.Optional(Type.Array(Ref(Filesystem), { maxItems: MAX_FILESYSTEMS })),
  interfaces: Type.Optional(Type.Array(Ref(NetworkInterface), { maxItems: MAX_INTERFACES })),
  processes: Type.Optional(Type.Array(Ref(Process), { maxItems: MAX_PROCESSES })),
  host: Type.Optional(Ref(HostState)),
  entities: Type.Optional(Type.Array(Ref(EntityReading), { maxItems: MAX_ENTITIES })),
  entities_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'when `entities` were read; default: the instant of the newest sample' }),
  ),
  entity_events: Type.Optional(Type.Array(Ref(EntityEvent), { maxItems: MAX_ENTITY_EVENTS })),
}

export const Batch = Type.Object(BatchFields, {
  $id: 'Batch',
  description: 'An immutable set of samples. Exactly one of `samples` and `columns` is required',
})

/** What a batch may report in addition to samples: the state of its host at its newest sample. */
export interface BatchState {
  filesystems?: Filesystem[]
  interfaces?: NetworkInterface[]
  /** Empty where process reporting is switched off. */
  processes?: Process[]
  host?: HostState
  entities?: EntityReading[]
  entities_at?: string
  entity_events?: EntityEvent[]
}

/** A batch as the Vedette agent sends it. */
export interface BatchBody extends BatchState {
  batch_id: string
  sent_at: string
  agent_version: string
  columns: SampleColumnsBody
}

const RequestFields = {
  boot_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        "boot id of the pushing process's host. An id that returns after another one replaced it means a cloned machine (409)",
    }),
  ),
  server_id: Type.Optional(
    Type.String({ maxLength: 2048, description: 'required with an API key, which may push for any server of its organization' }),
  ),
}

export const PushBody = Type.Union(
  [
    Type.Object({ ...BatchFields, ...RequestFields }),
    Type.Object({ ...RequestFields, batches: Type.Array(Ref(Batch), { minItems: 1, maxItems: MAX_BATCHES_PER_REQUEST }) }),
  ],
  { $id: 'Push', description: 'One batch, or several under `batches`. Unknown fields are ignored' },
)

/** Why a single sample is rejected. `too_far_ahead` depends on the clocks: the same sample is accepted later. */
export const REJECTION_CODES = ['too_old', 'too_far_ahead', 'invalid_value'] as const
export type RejectionCode = (typeof REJECTION_CODES)[number]

export const RejectedSample = Type.Object(
  {
    batch: Type.Integer({ minimum: 0, description: 'number of the batch in the request, from 0' }),
    index: Type.Integer({ minimum: 0, description: 'number of the sample in its batch, from 0' }),
    code: Type.Enum([...REJECTION_CODES], {
      description: '`too_far_ahead`: keep the sample and send it again later. The others are final',
    }),
    message: Type.String(),
  },
  { $id: 'RejectedSample', description: 'A sample that was not stored, with the reason' },
)

export const PushAnswer = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0 }),
    duplicates: Type.Integer({ minimum: 0, description: 'already stored' }),
    rejected: Type.Array(Ref(RejectedSample)),
    server_time: Timestamp,
    sample_interval_seconds: Type.Integer(),
    push_interval_seconds: Type.Integer(),
  },
  {
    $id: 'PushAnswer',
    description:
      'The result of a push and the intervals to use from now on. `accepted` + `duplicates` + the length of `rejected` is the ' +
      'number of samples sent',
  },
)
export type PushAnswer = Static<typeof PushAnswer>
