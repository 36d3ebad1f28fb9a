import { type Static, Type } from 'typebox'
import { exampleId, ID_PREFIX, IdOf } from '../wire/ids.ts'
import { EmailText, Nullable, PageAnswer, PageQuery, Ref, Timestamp } from '../wire/wire.ts'

export const ACTOR_TYPES = ['user', 'api_key', 'server', 'enrollment_token', 'system'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

export const AuditActor = Type.Object(
  {
    type: Type.Enum([...ACTOR_TYPES], { description: "`system`: the installation itself and its operator's command line" }),
    id: Nullable(Type.String({ description: 'null for `system`', examples: [exampleId('user')] })),
    name: Nullable(
      Type.String({
        description: 'name of an API key, and what a user calls themselves; null if it no longer exists, or has none',
      }),
    ),
    email: Nullable({ ...EmailText, description: 'present e-mail of a user; null if the user no longer exists' }),
  },
  { $id: 'AuditActor', description: 'Who did it' },
)

export const AuditEvent = Type.Object(
  {
    id: IdOf('auditEvent'),
    at: Timestamp,
    actor: Ref(AuditActor),
    action: Type.String({
      description: 'noun and verb, as `server.deleted`; new actions may be added',
      examples: ['server.deleted'],
    }),
    target: Type.Union([Type.Object({ type: Type.String(), id: Type.String() }), Type.Null()], {
      description: 'the object of the action; it may no longer exist',
      examples: [{ type: 'server', id: exampleId('server') }],
    }),
    target_name: Nullable(
      Type.String({ description: 'present name of the target; null if it has none or no longer exists', examples: ['web-1'] }),
    ),
    ip: Nullable(Type.String({ description: 'null for commands on the installation itself', examples: ['203.0.113.7'] })),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'further fields, which depend on the action',
      examples: [{ hostname: 'web-1' }],
    }),
  },
  { $id: 'AuditEvent', description: 'An action' },
)
export type AuditEvent = Static<typeof AuditEvent>

const ACTOR_PREFIXES = [ID_PREFIX.user, ID_PREFIX.apiKey, ID_PREFIX.server].join('|')

/** What filters both logs. */
export const LogQuery = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Only events at this instant or later' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Only events before this instant' })),
  actor: Type.Optional(
    Type.String({
      'x-form': 'the id of a user, API key or server, or system',
      pattern: `^(system|(${ACTOR_PREFIXES})_[0-7][0-9a-hjkmnp-tv-z]{25})$`,
      description: 'Only events of this actor: the id of a user, API key or server, or `system`',
    }),
  ),
}

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    ...LogQuery,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Part of the action, of the name or e-mail of the actor, or of a text in the details, case-insensitive; or the id of an actor or target',
      }),
    ),
    action: Type.Optional(
      Type.String({
        pattern: '^[a-z_]{1,40}\\.[a-z_]{1,40}$',
        'x-form': 'an action such as server.deleted',
        description: 'Only events of this action, as `server.deleted`',
      }),
    ),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditList = Type.Object(
  { audit_events: Type.Array(Ref(AuditEvent)), ...PageAnswer },
  { $id: 'AuditList', description: 'A page of audit events, newest first' },
)
export type AuditList = Static<typeof AuditList>
