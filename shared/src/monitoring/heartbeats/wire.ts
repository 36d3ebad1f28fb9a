import { type Static, Type } from 'typebox'
import { Nullable, PageAnswer, PageQuery, Secret, Timestamp } from '../../wire/wire.ts'

/** A signal of a job. */
const Ping = Type.Object({
  received_at: Timestamp,
  kind: Type.Enum(['success', 'fail', 'start', 'log']),
  exit_code: Nullable(Type.Integer({ minimum: 0, maximum: 255 })),
  rid: Nullable(Type.String({ description: 'identifies the run', examples: ['123e4567-e89b-12d3-a456-426614174000'] })),
  duration_ms: Nullable(
    Type.Integer({ minimum: 0, description: 'from the start of the run, or as the job says', examples: [81_250] }),
  ),
  method: Type.String({ examples: ['POST'] }),
  address: Type.String({ description: 'of the client', examples: ['192.0.2.10'] }),
  user_agent: Nullable(Type.String({ examples: ['curl/8.14.1'] })),
  body: Nullable(Type.String({ description: 'the first 10,000 bytes, without secrets', examples: ['12 files copied'] })),
})

export const PingList = Type.Object(
  { pings: Type.Array(Ping), ...PageAnswer },
  { $id: 'PingList', description: 'A page of pings, newest first' },
)
export type PingList = Static<typeof PingList>

export const PingListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const PingKey = Type.Object(
  {
    ping_key: Nullable(Secret({ examples: ['vdt_pky_7Qm2'] })),
    ping_url: Nullable(
      Secret({
        description: 'a slash and the name of a heartbeat follow',
        examples: ['https://vedette.example.com/ping/vdt_pky_7Qm2'],
      }),
    ),
    created_at: Nullable(Timestamp),
  },
  { $id: 'PingKey', description: 'The key with which jobs ping heartbeats by their names' },
)
export type PingKey = Static<typeof PingKey>

export const PutPingKeyBody = Type.Object(
  {
    ping_key: Type.Optional(
      Secret({
        maxLength: 128,
        description: 'a key of Healthchecks can be taken over; default: a random one',
        examples: ['fqOOd6-F4MMNuCEnzTU01w'],
      }),
    ),
  },
  { $id: 'PutPingKeyBody', description: 'A new ping key', additionalProperties: false },
)
