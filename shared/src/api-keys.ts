import { type Static, Type } from 'typebox'
import { SCOPES } from './access.ts'
import { IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

const Scopes = Type.Array(Type.Enum([...SCOPES]), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true })

export const CreateApiKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    scopes: Scopes,
    /** In the future; null or left out: the key does not expire. */
    expires_at: Type.Optional(Nullable(Timestamp)),
  },
  { additionalProperties: false },
)
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>

const Fields = {
  id: IdOf('apiKey'),
  name: Type.String(),
  /** The first characters of the key, by which a person knows it again. */
  prefix: Type.String(),
  scopes: Scopes,
  /** The user who made it; null for a key made by another key or by the operator. */
  created_by: Nullable(IdOf('user')),
  created_at: Timestamp,
  /** Right to the minute; null before the first use. */
  last_used_at: Nullable(Timestamp),
  /** Null: never. */
  expires_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
}

export const ApiKey = Type.Object(Fields, { $id: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** `key` is the secret, in this answer only. */
export const NewApiKey = Type.Object({ ...Fields, key: Type.String() }, { $id: 'NewApiKey' })
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyListQuery = Type.Object(PageQuery, { additionalProperties: false })

/** Newest first; revoked and expired ones stay in it. */
export const ApiKeyList = Type.Object({ api_keys: Type.Array(Ref(ApiKey)), ...PageAnswer }, { $id: 'ApiKeyList' })
export type ApiKeyList = Static<typeof ApiKeyList>
