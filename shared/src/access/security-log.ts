import { type Static, Type } from 'typebox'
import { AuditActor, LogQuery } from './audit.ts'
import { IdOf } from '../wire/ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp, UserAgentText } from '../wire/wire.ts'

export const SecurityEvent = Type.Object(
  {
    id: IdOf('securityEvent'),
    at: Timestamp,
    type: Type.String({
      description: 'noun and verb, as `sign_in.failed`; new types may be added',
      examples: ['sign_in.failed'],
    }),
    actor: Type.Union([Ref(AuditActor), Type.Null()], {
      description: 'who did it; of what failed, the account that was tried; null if there is none',
    }),
    ip: Nullable(Type.String({ description: 'null for commands on the installation itself', examples: ['203.0.113.7'] })),
    user_agent: Nullable({ ...UserAgentText, description: 'the User-Agent header; null if it is not recorded' }),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'further fields, which depend on the type',
    }),
  },
  { $id: 'SecurityEvent', description: 'An event of the security log' },
)
export type SecurityEvent = Static<typeof SecurityEvent>

export const SecurityEventQuery = Type.Object(
  {
    ...PageQuery,
    ...LogQuery,
    type: Type.Optional(
      Type.String({
        pattern: '^[a-z_]{1,40}\\.[a-z_]{1,40}$',
        'x-form': 'a type such as sign_in.failed',
        description: 'Only events of this type, as `sign_in.failed`',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SecurityEventQuery = Static<typeof SecurityEventQuery>

export const SecurityEventList = Type.Object(
  { security_events: Type.Array(Ref(SecurityEvent)), ...PageAnswer },
  { $id: 'SecurityEventList', description: 'A page of security events, newest first' },
)
export type SecurityEventList = Static<typeof SecurityEventList>
