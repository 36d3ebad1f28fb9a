import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { Tags } from './servers.ts'
import { LaterTimestamp, Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp } from '../wire/wire.ts'

export const CreateEnrollmentTokenBody = Type.Object(
  {
    uses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 1,
        description: 'how many registrations it is good for',
        examples: [20],
      }),
    ),
    expires_in_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 43_200, default: 60, description: 'up to 30 days', examples: [120] }),
    ),
    tags: Type.Optional(Ref(Tags)),
  },
  { $id: 'CreateEnrollmentTokenBody', additionalProperties: false },
)
export type CreateEnrollmentTokenBody = Static<typeof CreateEnrollmentTokenBody>

const TOKEN = 'vdt_enr_7Hq2LmVbN5mKc0sRz8TjWfGaUe1Ox3iPv4kYqD9B6ML2xTw0ZaEn'
const Fields = {
  id: IdOf('enrollmentToken'),
  prefix: Type.String({ description: 'the first characters of the token, to recognize it', examples: ['vdt_enr_7Hq2Lm'] }),
  uses: Type.Integer({ minimum: 1, examples: [20] }),
  uses_left: Type.Integer({ minimum: 0, examples: [20] }),
  tags: Ref(Tags),
  created_by: Nullable(IdOf('user', 'the user who made it; null for a token made by an API key')),
  created_at: Timestamp,
  expires_at: LaterTimestamp,
  revoked_at: Nullable(Type.String({ format: 'date-time', description: 'null: the token is not revoked' })),
}

export const EnrollmentToken = Type.Object(Fields, {
  $id: 'EnrollmentToken',
  description: 'A token with which hosts register, without its secret',
})
export type EnrollmentToken = Static<typeof EnrollmentToken>

export const NewEnrollmentToken = Type.Object(
  { ...Fields, token: Secret({ description: 'the secret; shown only in this response', examples: [TOKEN] }) },
  { $id: 'NewEnrollmentToken', description: 'The new token with its secret' },
)
export type NewEnrollmentToken = Static<typeof NewEnrollmentToken>

export const EnrollmentTokenListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const EnrollmentTokenList = Type.Object(
  { enrollment_tokens: Type.Array(Ref(EnrollmentToken)), ...PageAnswer },
  { $id: 'EnrollmentTokenList', description: 'A page of tokens, newest first, including those that ended in the last 30 days' },
)
export type EnrollmentTokenList = Static<typeof EnrollmentTokenList>
