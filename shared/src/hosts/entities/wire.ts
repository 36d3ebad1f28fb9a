import { type Static, type TSchema, Type } from 'typebox'
import { IdOf } from '../../wire/ids.ts'
import { MAX_TAG_LENGTH } from '../../wire/limits.ts'
import { SeriesField } from '../metrics/answer.ts'
import { METRIC_PERIODS, type MetricPeriod } from '../metrics/periods.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from '../../wire/wire.ts'
import { ENTITY_EVENT_TYPES, ENTITY_KIND_NAMES } from './kinds.ts'
import { MAX_ENTITY_NAME_LENGTH } from './limits.ts'

export const EntityEventTypeName = Type.Enum([...ENTITY_EVENT_TYPES], {
  $id: 'EntityEventTypeName',
  description: '`died`: it ended with another exit code than 0. `unhealthy`: its health check failed',
})

export const EntityKind = Type.Enum(ENTITY_KIND_NAMES, {
  $id: 'EntityKind',
  description: 'What an entity of a host is',
})

/** Texts or numbers by their names. */
const byName = <T extends TSchema>(schema: T, options?: { description?: string; examples?: object[] }) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: schema, ...options })

const Fields = {
  id: IdOf('entity'),
  server_id: IdOf('server'),
  server_name: Type.String({ examples: ['web-1'] }),
  kind: Ref(EntityKind),
  name: Type.String({ examples: ['shop/web'] }),
  attributes: byName(Type.String(), {
    description: 'the newest, by name',
    examples: [{ engine: 'docker', image: 'registry.example.com/shop:1.4', state: 'running' }],
  }),
  values: byName(Nullable(Type.Number()), {
    description: 'by the fields of its kind, at `sampled_at`; a field that was not read is absent',
    examples: [{ cpu_percent: 3.25, memory_bytes: 134_217_728, running: 1 }],
  }),
  sampled_at: Nullable({ ...Timestamp, description: 'of `values`; null: gone, and not read at this instant' }),
  present: Type.Boolean({ description: 'the newest push of its server had it', examples: [true] }),
  first_seen_at: Timestamp,
  last_seen_at: { ...Timestamp, description: 'of one that is gone, at most an hour early' },
}

export const Entity = Type.Object(Fields, {
  $id: 'Entity',
  description: 'A container, unit, sensor, disk or another thing that a server has several of',
})
export type Entity = Static<typeof Entity>

export const EntityList = Type.Object(
  {
    entities: Type.Array(Ref(Entity)),
    ...PageAnswer,
    counts: Type.Optional(
      byName(Type.Integer({ minimum: 0 }), {
        description:
          'with `include=counts`: stored entities by kind, those that are gone as well, whatever the filters; a kind without any is absent',
      }),
    ),
  },
  { $id: 'EntityList', description: 'A page of entities' },
)
export type EntityList = Static<typeof EntityList>

export const PastEntityEvent = Type.Object(
  {
    at: Timestamp,
    type: Ref(EntityEventTypeName),
    exit_code: Nullable(Type.Integer({ examples: [137] })),
    oom: Nullable(Type.Boolean({ examples: [true] })),
    lines: Type.Array(Type.String({ examples: ['out of memory'] })),
  },
  { $id: 'PastEntityEvent', description: 'What happened to an entity' },
)
export type PastEntityEvent = Static<typeof PastEntityEvent>

export const EntityDetails = Type.Object(
  { ...Fields, events: Type.Array(Ref(PastEntityEvent), { description: 'the last 20, newest first' }) },
  { $id: 'EntityDetails', description: 'An entity, and what happened to it' },
)
export type EntityDetails = Static<typeof EntityDetails>

const Filters = {
  kind: Type.Optional(Type.Enum(ENTITY_KIND_NAMES, { description: 'Only entities of this kind' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ENTITY_NAME_LENGTH,
      description: 'part of the name or of an attribute, in any case',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      maxLength: 65,
      pattern: '^-?[a-z_]+$',
      'x-form': 'name or a field or attribute of the kind, with - for the highest first',
      description:
        '`name`, or with `kind` one of its fields or attributes, `-` for the highest first; default: what people look at first',
    }),
  ),
  present: Type.Optional(Type.Boolean({ description: '`false`: only those that are gone; default: those that are there' })),
}

export const ServerEntityListQuery = Type.Object(
  {
    ...Filters,
    include: Type.Optional(Type.Enum(['counts'], { description: '`counts`: how many there are of each kind' })),
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'those that were there at this instant, with the values that they had' }),
    ),
    ...PageQuery,
  },
  { additionalProperties: false },
)
export type ServerEntityListQuery = Static<typeof ServerEntityListQuery>

export const EntityListQuery = Type.Object(
  {
    ...Filters,
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH, description: 'of the server' })),
    ...PageQuery,
  },
  { additionalProperties: false },
)
export type EntityListQuery = Static<typeof EntityListQuery>

export const EntityMetricsQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Enum(Object.keys(METRIC_PERIODS) as MetricPeriod[], { description: 'How far back from now; default 1h' }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Start of a range of at most 400 days, instead of `period`' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'End of the range, exclusive' })),
    points: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 1_000, description: 'Adds `series` with at most this many points' }),
    ),
  },
  { additionalProperties: false },
)
export type EntityMetricsQuery = Static<typeof EntityMetricsQuery>

const FieldSummary = Type.Object(
  { newest: Type.Number(), avg: Type.Number(), max: Type.Number() },
  { $id: 'EntityFieldSummary', description: 'A field of an entity over the period' },
)

export const EntityMetrics = Type.Object(
  {
    server_id: IdOf('server'),
    entity_id: IdOf('entity'),
    period: Type.String({
      description: 'as requested; for a range its first and last instant: `<from>/<to>`',
      examples: ['15m'],
    }),
    metrics: byName(Ref(FieldSummary), {
      description: 'by field; one without a value is absent',
      examples: [{ cpu_percent: { newest: 3.25, avg: 2.9, max: 12.5 } }],
    }),
    series: Type.Optional(
      Type.Object(
        {
          step_seconds: Type.Integer(),
          from: Type.String({ format: 'date-time', description: 'where the first step begins: a multiple of the step' }),
          points: Type.Integer({ minimum: 1, description: 'how many steps every list has' }),
          fields: byName(Ref(SeriesField)),
        },
        {
          examples: [
            {
              step_seconds: 300,
              from: '2026-11-21T09:00:00.000Z',
              points: 3,
              fields: { cpu_percent: { avg: [null, 2.95, 3.25], max: [null, 12.5, 3.25] } },
            },
          ],
        },
      ),
    ),
  },
  { $id: 'EntityMetrics', description: 'The figures of an entity over a period; `series` with `points`' },
)
export type EntityMetrics = Static<typeof EntityMetrics>

/** Named parts of the answers above. */
export const ENTITY_PARTS = [EntityKind, EntityEventTypeName, PastEntityEvent, FieldSummary]
