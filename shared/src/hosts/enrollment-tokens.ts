import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { Tags } from './servers.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp } from '../wire/wire.ts'

export const CreateEnrollmentTokenBody = Type.Object(
  {
    uses: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'how many registrations it is good for' }),
    ),
    expires_in_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 43_200, default: 60, description: 'up to 30 days' })),
    tags: Type.Optional(Ref(Tags)),
  },
  { $id: 'CreateEnrollmentTokenBody', additionalProperties: false },
)
export type CreateEnrollmentTokenBody = Static<typeof CreateEnrollmentTokenBody>

const Fields = {
  id: IdOf('enrollmentToken'),
  prefix: Type.String({ description: 'the first characters of the token, to recognize it' }),
  uses: Type.Integer({ minimum: 1 }),
  uses_left: Type.Integer({ minimum: 0 }),
  tags: Ref(Tags),
  created_by: Nullable(IdOf('user', 'the user who made it; null for a token made by an API key')),
  created_at: Timestamp,
  expires_at: Timestamp,
  revoked_at: Nullable(Type.String({ format: 'date-time', description: 'null: the token is not revoked' })),
}

export const EnrollmentToken = Type.Object(Fields, {
  $id: 'EnrollmentToken',
  description: 'A token with which hosts register, without its secret',
})
export type EnrollmentToken = Static<typeof EnrollmentToken>

export const NewEnrollmentToken = Type.Object(
  { ...Fields, token: Secret({ description: 'the secret; shown only in this response' }) },
  { $id: 'NewEnrollmentToken', description: 'The new token with its secret' },
)
export type NewEnrollmentToken = Static<typeof NewEnrollmentToken>

export const EnrollmentTokenListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const EnrollmentTokenList = Type.Object(
  { enrollment_tokens: Type.Array(Ref(EnrollmentToken)), ...PageAnswer },
  { $id: 'EnrollmentTokenList', description: 'A page of tokens, newest first, including those that ended in the last 30 days' },
)
export type EnrollmentTokenList = Static<typeof EnrollmentTokenList>
