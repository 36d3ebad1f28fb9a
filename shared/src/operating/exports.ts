import { type Static, Type } from 'typebox'
import { MonitorCheckFields } from '../monitoring/checks/definition.ts'
import { MAX_URL_LENGTH } from '../monitoring/checks/limits.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { MASK } from '../wire/mask.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

export const EXPORT_KINDS = ['remote_write', 'otlp'] as const
/** What an export can send. */
export const EXPORTED_SAMPLES = ['hosts', 'entities', 'series'] as const
/** Of one organization. */
export const MAX_EXPORTS = 5

export const ExportKind = Type.Enum([...EXPORT_KINDS], {
  $id: 'ExportKind',
  description: '`remote_write`: remote write 1.0 of Prometheus; `otlp`: OTLP over HTTP, in protobuf',
})

export const ExportedSamples = Type.Enum([...EXPORTED_SAMPLES], {
  $id: 'ExportedSamples',
  description:
    '`hosts`: samples of hosts; `entities`: values of their containers, disks, services and the like, and their own metrics; `series`: what came by remote write and OTLP',
})
const SampleKinds = Type.Array(Ref(ExportedSamples), {
  minItems: 1,
  maxItems: EXPORTED_SAMPLES.length,
  uniqueItems: true,
  description: 'what is sent; what is added later is sent from then on',
  examples: [[...EXPORTED_SAMPLES]],
})

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Long-term storage'] })
const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  description: 'where samples are posted to, as https://…; without credentials',
  examples: ['https://metrics.example.com/api/v1/write'],
})
const Headers = {
  ...MonitorCheckFields.headers,
  description: `sent with each request. The values are secret and come back as ${MASK}, which leaves a stored value as it is`,
}
const Enabled = Type.Boolean({
  description: 'a disabled export sends nothing; enabled again, it continues where it stopped',
  examples: [true],
})

export const CreateExportBody = Type.Object(
  {
    name: Name,
    kind: Ref(ExportKind),
    url: Url,
    headers: Type.Optional(Headers),
    samples: Type.Optional(SampleKinds),
    enabled: Type.Optional(Enabled),
  },
  { $id: 'CreateExportBody', description: 'Defaults: no headers, all samples, enabled', additionalProperties: false },
)
export type CreateExportBody = Static<typeof CreateExportBody>

export const PatchExportBody = Type.Object(
  {
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    headers: Type.Optional(Headers),
    samples: Type.Optional(SampleKinds),
    enabled: Type.Optional(Enabled),
  },
  {
    $id: 'PatchExportBody',
    description: 'Changes only the fields that are given; `headers` are replaced as a whole. The kind stays',
    examples: [{ enabled: false }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchExportBody = Static<typeof PatchExportBody>

const Counted = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

export const ExportState = Type.Object(
  {
    last_sent_at: Nullable(Timestamp),
    lag_seconds: Counted(
      'how long ago the newest sample was received of those before which all are sent, of whatever is sent',
      12,
    ),
    last_error: Nullable(Type.String({ description: 'which samples are lost, and why the last request was not accepted' }), null),
    samples_sent: Counted('values that were accepted; what is sent again counts again', 86_400),
    samples_dropped: Counted('values that the receiver refused; they are not sent again', 0),
    samples_skipped: Counted(
      'values that were no longer stored push by push when it was their turn; of what is gone itself an estimate',
      0,
    ),
  },
  { $id: 'ExportState', description: 'What an export has done' },
)
export type ExportState = Static<typeof ExportState>

export const Export = Type.Object(
  {
    id: IdOf('export'),
    name: Type.String({ examples: ['Long-term storage'] }),
    kind: Ref(ExportKind),
    url: Type.String({ examples: ['https://metrics.example.com/api/v1/write'] }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: Secret(),
      examples: [{ Authorization: MASK }],
    }),
    samples: SampleKinds,
    enabled: Enabled,
    managed: ManagedField,
    state: Ref(ExportState),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Export', description: 'Where samples are sent as they are stored' },
)
export type Export = Static<typeof Export>

export const ExportListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const ExportList = Type.Object(
  { exports: Type.Array(Ref(Export)), ...PageAnswer },
  { $id: 'ExportList', description: 'A page of exports, newest first' },
)
export type ExportList = Static<typeof ExportList>
