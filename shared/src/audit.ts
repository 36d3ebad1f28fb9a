import { type Static, Type } from 'typebox'
import { ID_PREFIX, IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

export const ACTOR_TYPES = ['user', 'api_key', 'server', 'system'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

/** Who did it: `system` is the installation itself and its operator's command line, which have no id. */
const AuditActor = Type.Object({
  type: Type.Enum([...ACTOR_TYPES]),
  id: Nullable(Type.String()),
  /** Of a key; null where it is not known any more. */
  name: Nullable(Type.String()),
  /** Of a user, as it is now; null where it is not known any more. */
  email: Nullable(Type.String()),
})

export const AuditEvent = Type.Object(
  {
    id: IdOf('auditEvent'),
    at: Timestamp,
    actor: AuditActor,
    /** Noun and verb: `server.deleted`. More of them may come. */
    action: Type.String(),
    /** What it was done to; it may be gone by now. */
    target: Type.Union([Type.Object({ type: Type.String(), id: Type.String() }), Type.Null()]),
    /** Null for what was done on the installation itself. */
    ip: Nullable(Type.String()),
    /** What a reader needs to understand it; differs from action to action. */
    details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  },
  { $id: 'AuditEvent' },
)
export type AuditEvent = Static<typeof AuditEvent>

const ACTOR_PREFIXES = [ID_PREFIX.user, ID_PREFIX.apiKey, ID_PREFIX.server].join('|')

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    actor: Type.Optional(
      Type.String({
        pattern: `^(system|(${ACTOR_PREFIXES})_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
        description: 'id of a user, API key or server, or `system`',
      }),
    ),
    action: Type.Optional(Type.String({ pattern: '^[a-z_]{1,40}\\.[a-z_]{1,40}$', description: 'as `server.deleted`' })),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

/** Newest first. */
export const AuditList = Type.Object({ audit_events: Type.Array(Ref(AuditEvent)), ...PageAnswer }, { $id: 'AuditList' })
export type AuditList = Static<typeof AuditList>
