import { type Static, Type } from 'typebox'
import { IdOf } from './ids.ts'
import { Nullable, Ref, Timestamp } from './wire.ts'

/** What happens, as it is told to whoever listens, and to webhooks that ask for it. */
export const EVENT_TYPES = [
  'incident.opened',
  'incident.acknowledged',
  'incident.resolved',
  'monitor.down',
  'monitor.degraded',
  'monitor.up',
  'certificate.expiring',
  'server.offline',
  'server.online',
  'agent.token_refused',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'vedette.unwell',
  'vedette.well',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const EventTypeName = Type.Enum([...EVENT_TYPES], { $id: 'EventTypeName', description: 'What happened' })

export const LiveEvent = Type.Object(
  {
    id: IdOf('event'),
    type: Ref(EventTypeName),
    timestamp: Timestamp,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'what it is about: `incident`, `monitor` (with its `certificate`), `server`, `member` or `problem`, as lists have them',
    }),
  },
  { $id: 'LiveEvent', description: 'Something that happened' },
)
export type LiveEvent = Static<typeof LiveEvent>

export const LiveEventQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Id of the last event that is known; the header `Last-Event-ID` goes before it',
      }),
    ),
  },
  { additionalProperties: false },
)

export const LiveEventList = Type.Object(
  {
    events: Type.Array(Ref(LiveEvent), { description: 'at most 1,000, in the order in which they became visible' }),
    last_event_id: Nullable(IdOf('event', 'to go on from; null: nothing has happened yet')),
    is_complete: Type.Boolean({ description: 'false: events are missing before these, since the id is unknown or too old' }),
  },
  { $id: 'LiveEventList', description: 'What happened since an event' },
)
export type LiveEventList = Static<typeof LiveEventList>
