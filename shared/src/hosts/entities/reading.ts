import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../../wire/wire.ts'
import { MAX_ENTITY_ATTRIBUTE_LENGTH, MAX_ENTITY_NAME_LENGTH, MAX_EVENT_LINE_LENGTH, MAX_EVENT_LINES } from './limits.ts'

const Kind = Type.String({ minLength: 1, maxLength: 32, description: 'as `container`; an unknown kind is ignored' })
const Name = Type.String({ minLength: 1, maxLength: MAX_ENTITY_NAME_LENGTH })

export const EntityReading = Type.Object(
  {
    kind: Kind,
    name: Name,
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MAX_ENTITY_ATTRIBUTE_LENGTH }), {
        description: 'those of its kind; absent: unchanged. Unknown ones are ignored',
      }),
    ),
    values: Type.Record(Type.String(), Nullable(Type.Number()), {
      description: 'the fields of its kind; absent or null where unknown. Unknown ones are ignored',
    }),
  },
  {
    $id: 'EntityReading',
    description: 'A container, unit, sensor or another thing that a host has several of, as it was at one instant',
  },
)
export type EntityReading = Static<typeof EntityReading>

export const EntityEvent = Type.Object(
  {
    at: Timestamp,
    kind: Kind,
    name: Name,
    type: Type.String({ minLength: 1, maxLength: 32, description: '`died` or `unhealthy`; another type is ignored' }),
    exit_code: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
    oom: Type.Optional(Type.Boolean({ description: 'ended by the kernel for want of memory' })),
    lines: Type.Optional(
      Type.Array(Type.String({ maxLength: MAX_EVENT_LINE_LENGTH }), {
        maxItems: MAX_EVENT_LINES,
        description: 'the last lines that it wrote, where the agent may read them',
      }),
    ),
  },
  { $id: 'EntityEvent', description: 'What happened to an entity of a host' },
)
export type EntityEvent = Static<typeof EntityEvent>
