import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { Scopes } from './roles.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

/** Networks of a key. */
export const MAX_CIDRS = 20
/** Labels that a key takes away. */
export const MAX_DROPPED_LABELS = 16
const MAX_LABEL_NAME_LENGTH = 128

const EXPIRY = { ...Timestamp, examples: ['2027-11-21T00:00:00.000Z'] }

const LabelName = (options: { description?: string; examples: string[] }) => VisibleText(MAX_LABEL_NAME_LENGTH, options)

export const JobKind = Type.Unsafe<'node' | null>({
  $id: 'JobKind',
  type: ['string', 'null'],
  enum: ['node', null],
  description:
    '`node`: what node_exporter measures makes a server of each `instance`, next to the series; needs the scope `agent`',
  examples: [null],
})

/** What happens to series that come with a key. */
const SeriesFields = {
  job_kind: Ref(JobKind),
  dedup_label: Nullable(
    LabelName({
      description:
        'the label in which two copies of one Prometheus differ; one copy counts, another one after 30 seconds without the first, and the label is removed',
      examples: ['__replica__'],
    }),
  ),
  drop_labels: Type.Array(LabelName({ examples: ['service.instance.id'] }), {
    maxItems: MAX_DROPPED_LABELS,
    uniqueItems: true,
    description: 'labels, and attributes of OpenTelemetry, that are removed from what comes with the key',
  }),
}

const KEY = 'vdt_key_7Hq2LmVbN5mKc0sRz8TjWfGaUe1Ox3iPv4kYqD9B6ML2xTw0ZaEn'

export const CreateApiKeyBody = Type.Object(
  {
    name: VisibleText(MAX_NAME_LENGTH, { examples: ['web servers'] }),
    scopes: Ref(Scopes),
    expires_at: Type.Optional(Nullable({ ...EXPIRY, description: 'in the future; null or absent: the key does not expire' })),
    allowed_cidrs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
        maxItems: MAX_CIDRS,
        description: 'addresses and networks that may use the key (`203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`); none: all may',
      }),
    ),
    ends_with_creator: Type.Optional(
      Type.Boolean({ description: 'whether the key is revoked when its creator leaves the organization; false by default' }),
    ),
    job_kind: Type.Optional(SeriesFields.job_kind),
    dedup_label: Type.Optional(SeriesFields.dedup_label),
    drop_labels: Type.Optional(SeriesFields.drop_labels),
  },
  { $id: 'CreateApiKeyBody', additionalProperties: false },
)
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>

export const PatchApiKeyBody = Type.Object(
  {
    job_kind: Type.Optional(SeriesFields.job_kind),
    dedup_label: Type.Optional(SeriesFields.dedup_label),
    drop_labels: Type.Optional(SeriesFields.drop_labels),
  },
  {
    $id: 'PatchApiKeyBody',
    description:
      'Changes only the fields that are given; `drop_labels` are replaced as a whole. The others stay as long as the key',
    examples: [{ drop_labels: ['service.instance.id'] }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchApiKeyBody = Static<typeof PatchApiKeyBody>

const Fields = {
  id: IdOf('apiKey'),
  name: Type.String({ examples: ['web servers'] }),
  prefix: Type.String({ description: 'the first characters of the key, to recognize it', examples: ['vdt_key_7Hq2Lm'] }),
  scopes: Ref(Scopes),
  allowed_cidrs: Type.Array(Type.String(), { description: 'empty: the key may be used from anywhere' }),
  ends_with_creator: Type.Boolean({ description: 'whether the key is revoked when its creator leaves the organization' }),
  ...SeriesFields,
  created_by: Nullable(IdOf('user', 'the user who made it; null for a key made by another key or by the operator')),
  created_at: Timestamp,
  last_used_at: Nullable({ ...Timestamp, description: 'accurate to the minute; null before the first use' }),
  expires_at: Nullable({ ...EXPIRY, description: 'null: the key does not expire' }),
  revoked_at: Nullable(Type.String({ format: 'date-time', description: 'null: the key is not revoked' })),
}

export const ApiKey = Type.Object(Fields, { $id: 'ApiKey', description: 'An API key without its secret' })
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object(
  { ...Fields, key: Secret({ description: 'the secret; shown only in this response', examples: [KEY] }) },
  { $id: 'NewApiKey', description: 'The new API key with its secret' },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const ApiKeyList = Type.Object(
  { api_keys: Type.Array(Ref(ApiKey)), ...PageAnswer },
  { $id: 'ApiKeyList', description: 'A page of API keys, newest first, including revoked and expired ones' },
)
export type ApiKeyList = Static<typeof ApiKeyList>
