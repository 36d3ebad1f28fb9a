import { type Static, Type } from 'typebox'
import { MAX_NAME_LENGTH, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../wire/limits.ts'
import { LaterTimestamp, Nullable, Secret, VisibleText } from '../wire/wire.ts'

/** Kept lower-case; one address is one user. */
export const Email = Type.String({ format: 'email', minLength: 3, maxLength: 254, examples: ['ada@example.com'] })
/** 12–128 characters of any Unicode, compared after NFKC. */
export const NewPassword = Secret({
  minLength: PASSWORD_MIN_LENGTH,
  maxLength: PASSWORD_MAX_LENGTH,
  description: 'any Unicode; the most common passwords are refused',
  examples: ['a new and better phrase'],
})

/** Any text: what is nobody's e-mail is answered like a wrong password. */
export const AnyEmail = Type.String({ minLength: 1, maxLength: 254, examples: ['ada@example.com'] })
/** A password to be compared: the rules of new ones may have been others when it was made. */
export const GivenPassword = Secret({ minLength: 1, maxLength: 1024, examples: ['correct horse battery'] })
/** Six digits of an authenticator, or a recovery code; spaces, dashes and capitals do not count. */
export const TotpCode = Secret({
  minLength: 1,
  maxLength: 64,
  description: 'six digits of an authenticator, or a recovery code',
})

export const Remember = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'keeps this device signed in for 30 days, by the cookie of `POST /v1/auth/refresh`',
  }),
)

export const LoginBody = Type.Object(
  { email: AnyEmail, password: GivenPassword, totp_code: Type.Optional(TotpCode), remember: Remember },
  { $id: 'LoginBody', additionalProperties: false },
)
export type LoginBody = Static<typeof LoginBody>

const JWT = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImExYjJjM2Q0In0.eyJzdWIiOiJ1c3JfMDFtN3lucW12In0.Zm9yIHNob3cgb25seQ'
export const Session = Type.Object(
  { token: Secret({ description: 'a JWT, for `Authorization: Bearer`', examples: [JWT] }), expires_at: LaterTimestamp },
  { $id: 'Session', description: 'A new session' },
)
export type Session = Static<typeof Session>

export const OrganizationName = VisibleText(MAX_NAME_LENGTH, { examples: ['Example'] })

export const PersonName = VisibleText(MAX_NAME_LENGTH, {
  description: 'what a person calls themselves; others see it next to the e-mail',
  examples: ['Ada Lovelace'],
})
export const NullablePersonName = Nullable(PersonName)

export const SetupBody = Type.Object(
  {
    code: Secret({
      minLength: 1,
      maxLength: 128,
      description: 'the one-time code that Vedette prints at its start',
      examples: ['tXiHvHuWNdS8hfsJ7YHMgsTo'],
    }),
    email: Email,
    password: NewPassword,
    name: Type.Optional(PersonName),
    organization: OrganizationName,
    allow_private_targets: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'whether checks and channels may reach private networks (RFC 1918 and fc00::/7)',
      }),
    ),
    remember: Remember,
  },
  { $id: 'SetupBody', additionalProperties: false },
)
export type SetupBody = Static<typeof SetupBody>

export const SetupState = Type.Object(
  { required: Type.Boolean() },
  { $id: 'SetupState', description: 'Whether the first owner does not exist yet' },
)
