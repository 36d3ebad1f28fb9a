import { type Static, Type } from 'typebox'
import { MAX_ENTITIES, MAX_ENTITY_EVENTS } from './entities/limits.ts'
import { EntityEvent, EntityReading } from './entities/reading.ts'
import {
  MAX_BATCHES_PER_REQUEST,
  MAX_FILESYSTEMS,
  MAX_INTERFACES,
  MAX_PROCESSES,
  MAX_SAMPLES_PER_BATCH,
} from './metrics/limits.ts'
import {
  Filesystem,
  HostState,
  NetworkInterface,
  Process,
  Sample,
  SampleColumns,
  type SampleColumnsBody,
} from './metrics/sample.ts'
import { Intervals, SourcesOff } from './servers.ts'
import { Ref, Timestamp } from '../wire/wire.ts'

const BatchFields = {
  batch_id: Type.String({ format: 'uuid', examples: ['0197b3f0-8c7a-7c3e-9b7e-0d1c2b3a4f50'] }),
  sent_at: Timestamp,
  agent_version: Type.String({ minLength: 1, maxLength: 64, examples: ['0.1.0'] }),
  samples: Type.Optional(
    Type.Array(Ref(Sample), {
      minItems: 1,
      maxItems: MAX_SAMPLES_PER_BATCH,
      examples: [[{ at: '2026-11-21T09:11:14.000Z', cpu: { percent: 12.5, cores: 4 }, memory: { percent: 25 } }]],
    }),
  ),
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
      examples: ['c2a5b1f4-52f1-4c9e-8a43-0e4d8a4b7f6c'],
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
      examples: ['invalid_value'],
      description: '`too_far_ahead`: keep the sample and send it again later. The others are final',
    }),
    message: Type.String({ examples: ['cpu.percent is not between 0 and 100'] }),
  },
  { $id: 'RejectedSample', description: 'A sample that was not stored, with the reason' },
)

export const PushAnswer = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0 }),
    duplicates: Type.Integer({ minimum: 0, description: 'already stored' }),
    rejected: Type.Array(Ref(RejectedSample)),
    server_time: Timestamp,
    ...Intervals,
    sources_off: Type.Optional(Ref(SourcesOff)),
  },
  {
    $id: 'PushAnswer',
    description:
      'The result of a push, and the intervals and the sources to switch off from now on; without `sources_off` none is. `accepted` + `duplicates` + the length of `rejected` is the ' +
      'number of samples sent',
  },
)
export type PushAnswer = Static<typeof PushAnswer>
