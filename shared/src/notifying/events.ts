import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from './event-types.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { Nullable, Ref, Timestamp } from '../wire/wire.ts'

export const EventTypeName = Type.Enum([...EVENT_TYPES], { $id: 'EventTypeName', description: 'The type of an event' })

export const LiveEvent = Type.Object(
  {
    id: IdOf('event'),
    type: Ref(EventTypeName),
    timestamp: Timestamp,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'the object of the event: `incident`, `monitor` (with its `certificate`), `server`, `member` or `problem`',
      examples: [{ incident: { id: exampleId('incident'), status: 'open', severity: 'critical', summary: 'Shop is down' } }],
    }),
  },
  { $id: 'LiveEvent', description: 'An event' },
)
export type LiveEvent = Static<typeof LiveEvent>

export const LiveEventQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Id of the last event that the client has; the header `Last-Event-ID` takes precedence',
      }),
    ),
  },
  { additionalProperties: false },
)

export const LiveEventList = Type.Object(
  {
    events: Type.Array(Ref(LiveEvent), { description: 'at most 1,000, in the order in which they became visible' }),
    last_event_id: Nullable(IdOf('event', 'to continue from; null: there is no event yet')),
    is_complete: Type.Boolean({
      description: 'false: earlier events are missing because the id is unknown or too old',
      examples: [true],
    }),
  },
  { $id: 'LiveEventList', description: 'The events since another event' },
)
export type LiveEventList = Static<typeof LiveEventList>
