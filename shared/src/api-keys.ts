import { type Static, Type } from 'typebox'
import { IdOf } from './ids.ts'
import { Scopes } from './roles.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

export const CreateApiKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    scopes: Ref(Scopes),
    expires_at: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'in the future; null or left out: the key does not expire' })),
    ),
  },
  { $id: 'CreateApiKeyBody', additionalProperties: false },
)
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>

const Fields = {
  id: IdOf('apiKey'),
  name: Type.String(),
  prefix: Type.String({ description: 'the first characters of the key, by which a person knows it again' }),
  scopes: Ref(Scopes),
  created_by: Nullable(IdOf('user', 'the user who made it; null for a key made by another key or by the operator')),
  created_at: Timestamp,
  last_used_at: Nullable(Type.String({ format: 'date-time', description: 'right to the minute; null before the first use' })),
  expires_at: Nullable(Type.String({ format: 'date-time', description: 'null: never' })),
  revoked_at: Nullable(Type.String({ format: 'date-time', description: 'null: it is not revoked' })),
}

export const ApiKey = Type.Object(Fields, { $id: 'ApiKey', description: 'An API key without its secret' })
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object(
  { ...Fields, key: Type.String({ description: 'the secret, in this answer only' }) },
  { $id: 'NewApiKey', description: 'The new API key with its secret' },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const ApiKeyList = Type.Object(
  { api_keys: Type.Array(Ref(ApiKey)), ...PageAnswer },
  { $id: 'ApiKeyList', description: 'A page of API keys, newest first; revoked and expired ones stay in it' },
)
export type ApiKeyList = Static<typeof ApiKeyList>
