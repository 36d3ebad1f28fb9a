import { type Static, Type } from 'typebox'
import { PERMISSIONS, ROLES } from './access.ts'
import { AnyEmail, GivenPassword, NewPassword, TotpCode } from './auth.ts'
import { IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

/** Who is signed in, and what they may where; organizations in the order in which they were joined. */
export const Me = Type.Object(
  {
    id: IdOf('user'),
    email: Type.String(),
    totp_enabled: Type.Boolean(),
    created_at: Timestamp,
    organizations: Type.Array(
      Type.Object({
        id: IdOf('organization'),
        name: Type.String(),
        role: Type.Enum([...ROLES]),
        permissions: Type.Array(Type.Enum([...PERMISSIONS])),
        joined_at: Timestamp,
      }),
    ),
  },
  { $id: 'Me' },
)
export type Me = Static<typeof Me>

export const ChangePasswordBody = Type.Object(
  { current_password: GivenPassword, new_password: NewPassword },
  { additionalProperties: false },
)
export type ChangePasswordBody = Static<typeof ChangePasswordBody>

export const PasswordResetBody = Type.Object({ email: AnyEmail }, { additionalProperties: false })

/** `totp_code` where the user has a second factor: a mailbox alone does not open the account. */
export const PasswordResetConfirmBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 256 }), new_password: NewPassword, totp_code: Type.Optional(TotpCode) },
  { additionalProperties: false },
)
export type PasswordResetConfirmBody = Static<typeof PasswordResetConfirmBody>

/** `last_used_at` is at most a minute old; null before the second request. */
export const SessionItem = Type.Object(
  {
    id: IdOf('session'),
    current: Type.Boolean(),
    ip: Type.String(),
    user_agent: Type.String(),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    expires_at: Timestamp,
  },
  { $id: 'SessionItem' },
)
export type SessionItem = Static<typeof SessionItem>

export const SessionListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const SessionList = Type.Object({ sessions: Type.Array(Ref(SessionItem)), ...PageAnswer }, { $id: 'SessionList' })
export type SessionList = Static<typeof SessionList>

export const TotpState = Type.Object(
  { enabled: Type.Boolean(), enabled_at: Nullable(Timestamp), recovery_codes_left: Type.Integer({ minimum: 0 }) },
  { $id: 'TotpState' },
)
export type TotpState = Static<typeof TotpState>

/** What an authenticator needs, and the ways in without one: in this answer only. */
export const TotpSetup = Type.Object(
  {
    secret: Type.String({ description: 'base32, for typing in' }),
    otpauth_url: Type.String({ description: 'for a QR code' }),
    recovery_codes: Type.Array(Type.String(), { description: 'each signs in once in place of a code' }),
  },
  { $id: 'TotpSetup' },
)
export type TotpSetup = Static<typeof TotpSetup>

/** Without `code`: start a set-up. With it: confirm the one that was started. */
export const TotpBody = Type.Object({ code: Type.Optional(TotpCode) }, { additionalProperties: false })

/** Exactly one of the two. */
export const RemoveTotpBody = Type.Object(
  { code: Type.Optional(TotpCode), password: Type.Optional(GivenPassword) },
  { additionalProperties: false },
)
export type RemoveTotpBody = Static<typeof RemoveTotpBody>
