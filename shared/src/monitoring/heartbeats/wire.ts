import { type Static, Type } from 'typebox'
import { Nullable, PageAnswer, PageQuery, Secret, Timestamp } from '../../wire/wire.ts'

/** A signal of a job. */
const Ping = Type.Object({
  received_at: Timestamp,
  kind: Type.Enum(['success', 'fail', 'start', 'log']),
  exit_code: Nullable(Type.Integer({ minimum: 0, maximum: 255 })),
  rid: Nullable(Type.String({ description: 'identifies the run' })),
  duration_ms: Nullable(Type.Integer({ minimum: 0, description: 'from the start of the run, or as the job says' })),
  method: Type.String(),
  address: Type.String({ description: 'of the client' }),
  user_agent: Nullable(Type.String()),
  body: Nullable(Type.String({ description: 'the first 10,000 bytes, without secrets' })),
})

export const PingList = Type.Object(
  { pings: Type.Array(Ping), ...PageAnswer },
  { $id: 'PingList', description: 'A page of pings, newest first' },
)
export type PingList = Static<typeof PingList>

export const PingListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const PingKey = Type.Object(
  {
    ping_key: Nullable(Secret()),
    ping_url: Nullable(Secret({ description: 'a slash and the name of a heartbeat follow' })),
    created_at: Nullable(Timestamp),
  },
  { $id: 'PingKey', description: 'The key with which jobs ping heartbeats by their names' },
)
export type PingKey = Static<typeof PingKey>

export const PutPingKeyBody = Type.Object(
  {
    ping_key: Type.Optional(
      Secret({ maxLength: 128, description: 'a key of Healthchecks can be taken over; default: a random one' }),
    ),
  },
  { $id: 'PutPingKeyBody', description: 'A new ping key', additionalProperties: false },
)
