import { type Static, Type } from 'typebox'
import { Tags } from '../hosts/servers.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { InstantText, Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

/** After this an annotation is deleted; an older one cannot be created. */
export const ANNOTATION_DAYS = 400
const MAX_TEXT_LENGTH = 1_000

const EXAMPLE = 'Deployed shop 4.12'
const LINK = 'https://ci.example.com/builds/4711'
const Target = (kind: 'server' | 'monitor') =>
  Type.Optional(Nullable(Type.String({ maxLength: 64, description: `the ${kind} that it happened to` }), null))

export const CreateAnnotationBody = Type.Object(
  {
    at: Type.Optional(
      InstantText(`ISO 8601, from ${ANNOTATION_DAYS} days ago to a day ahead. Default: now`, '2026-11-21T09:11:14.000Z'),
    ),
    text: VisibleText(MAX_TEXT_LENGTH, { description: 'what happened', examples: [EXAMPLE] }),
    tags: Type.Optional(Ref(Tags)),
    server_id: Target('server'),
    monitor_id: Target('monitor'),
    url: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2_048,
          pattern: '^https?://[^\\s]+$',
          'x-form': 'an http:// or https:// URL',
          description: 'where people read more',
          examples: [LINK],
        }),
      ),
    ),
  },
  { $id: 'CreateAnnotationBody', additionalProperties: false },
)
export type CreateAnnotationBody = Static<typeof CreateAnnotationBody>

export const Annotation = Type.Object(
  {
    id: IdOf('annotation'),
    at: Timestamp,
    text: Type.String({ examples: [EXAMPLE] }),
    tags: Ref(Tags),
    server_id: Nullable(IdOf('server', 'the server that it happened to; null: none of its own')),
    monitor_id: Nullable(IdOf('monitor', 'the monitor that it happened to; null: none of its own')),
    url: Nullable(Type.String({ examples: [LINK] })),
    created_at: Timestamp,
  },
  { $id: 'Annotation', description: 'Something that happened, for example a deploy: charts mark it' },
)
export type Annotation = Static<typeof Annotation>

export const AnnotationListQuery = Type.Object(
  {
    ...PageQuery,
    from: Type.Optional(InstantText('start, inclusive, ISO 8601. Default: the oldest')),
    to: Type.Optional(InstantText('end, exclusive, ISO 8601. Default: the newest')),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description: 'Only annotations with this tag; repeat it to require several tags',
      }),
    ),
  },
  { additionalProperties: false },
)
export type AnnotationListQuery = Static<typeof AnnotationListQuery>

export const AnnotationList = Type.Object(
  { annotations: Type.Array(Ref(Annotation)), ...PageAnswer },
  { $id: 'AnnotationList', description: 'A page of annotations, by the time at which it happened, newest first' },
)
export type AnnotationList = Static<typeof AnnotationList>
