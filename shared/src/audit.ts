import { type Static, Type } from 'typebox'
import { ID_PREFIX, IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

export const ACTOR_TYPES = ['user', 'api_key', 'server', 'system'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

const AuditActor = Type.Object(
  {
    type: Type.Enum([...ACTOR_TYPES], { description: "`system`: the installation itself and its operator's command line" }),
    id: Nullable(Type.String({ description: 'null for `system`' })),
    name: Nullable(Type.String({ description: 'of a key; null where it is not known any more' })),
    email: Nullable(Type.String({ description: 'of a user, as it is now; null where it is not known any more' })),
  },
  { description: 'who did it' },
)

export const AuditEvent = Type.Object(
  {
    id: IdOf('auditEvent'),
    at: Timestamp,
    actor: AuditActor,
    action: Type.String({ description: 'noun and verb: `server.deleted`; more of them may come' }),
    target: Type.Union([Type.Object({ type: Type.String(), id: Type.String() }), Type.Null()], {
      description: 'what it was done to; it may be gone by now',
    }),
    ip: Nullable(Type.String({ description: 'null for what was done on the installation itself' })),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'what a reader needs to understand it; differs from action to action',
    }),
  },
  { $id: 'AuditEvent', description: 'Something that was done' },
)
export type AuditEvent = Static<typeof AuditEvent>

const ACTOR_PREFIXES = [ID_PREFIX.user, ID_PREFIX.apiKey, ID_PREFIX.server].join('|')

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Only what was done then or later' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only what was done before' })),
    actor: Type.Optional(
      Type.String({
        pattern: `^(system|(${ACTOR_PREFIXES})_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
        description: 'Who did it: id of a user, API key or server, or `system`',
      }),
    ),
    action: Type.Optional(
      Type.String({ pattern: '^[a-z_]{1,40}\\.[a-z_]{1,40}$', description: 'What was done, as `server.deleted`' }),
    ),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditList = Type.Object(
  { audit_events: Type.Array(Ref(AuditEvent)), ...PageAnswer },
  { $id: 'AuditList', description: 'A page of what was done, newest first' },
)
export type AuditList = Static<typeof AuditList>
