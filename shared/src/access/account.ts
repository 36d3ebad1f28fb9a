import { type Static, Type } from 'typebox'
import { PERMISSIONS } from './access.ts'
import { AnyEmail, Email, GivenPassword, NewPassword, NullablePersonName, Remember, TotpCode } from './auth.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_SAVED_VIEWS, MAX_VIEW_NAME_LENGTH } from '../wire/limits.ts'
import { RoleName } from './roles.ts'
import {
  ClockTime,
  EmailText,
  LaterTimestamp,
  Nullable,
  PageAnswer,
  PageQuery,
  Ref,
  Secret,
  Timestamp,
  UserAgentText,
  VisibleText,
} from '../wire/wire.ts'

const WeeklySummary = Type.Boolean({
  description: 'whether a summary of the week is mailed to the user on Mondays from 07:00 UTC; needs a verified e-mail',
})

export const SavedView = Type.Object(
  {
    list: Type.Enum(['monitors', 'servers']),
    name: VisibleText(MAX_VIEW_NAME_LENGTH, { examples: ['Broken shops'] }),
    query: Type.String({
      maxLength: 2_000,
      description: 'of the address of the list, without `?`: filters, order and groups',
      examples: ['status=down&tag=shop'],
    }),
  },
  { $id: 'SavedView', additionalProperties: false, description: 'A view of a list that a member saved' },
)
export type SavedView = Static<typeof SavedView>

const SavedViews = Type.Array(Ref(SavedView), {
  maxItems: MAX_SAVED_VIEWS,
  description: 'views of lists that the user saved in this organization, in their order',
})

export const QuietTime = Type.Object(
  {
    time_zone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name', examples: ['Europe/Berlin'] }),
    from: ClockTime('local time, `22:00`', '22:00'),
    to: ClockTime('local time; before `from`: of the next day', '07:00'),
    critical_passes: Type.Boolean({
      description: 'whether critical incidents are notified at once all the same',
      examples: [true],
    }),
  },
  {
    $id: 'QuietTime',
    description:
      'Hours of each day in which notifications of an escalation policy wait; what waited is sent in one message afterwards',
    additionalProperties: false,
  },
)
export type QuietTime = Static<typeof QuietTime>

const QuietTimeOrNull = Type.Union([Ref(QuietTime), Type.Null()], {
  description: 'of the user in this organization; null: none',
})

export const Membership = Type.Object(
  {
    id: IdOf('organization'),
    name: Type.String({ examples: ['Example'] }),
    role: Ref(RoleName),
    permissions: Type.Array(Type.Enum([...PERMISSIONS]), { examples: [['read', 'org:read']] }),
    joined_at: Timestamp,
    needs_second_factor: Type.Boolean({
      description:
        'the organization demands a second factor that this session does not have: it refuses the user until they set one up, or sign in with a passkey',
    }),
    weekly_summary: WeeklySummary,
    saved_views: SavedViews,
    quiet_time: QuietTimeOrNull,
  },
  { $id: 'Membership', description: 'An organization of the user, with their role and permissions' },
)

export type Membership = Static<typeof Membership>

export const PatchMembershipBody = Type.Object(
  {
    weekly_summary: Type.Optional(WeeklySummary),
    saved_views: Type.Optional(SavedViews),
    quiet_time: Type.Optional(QuietTimeOrNull),
  },
  {
    $id: 'PatchMembershipBody',
    additionalProperties: false,
    description: 'Absent fields stay as they are',
    examples: [
      { weekly_summary: true, saved_views: [{ list: 'monitors', name: 'Broken shops', query: 'status=down&tag=shop' }] },
    ],
  },
)
export type PatchMembershipBody = Static<typeof PatchMembershipBody>

export const PatchMeBody = Type.Object(
  { name: Type.Optional(NullablePersonName) },
  {
    $id: 'PatchMeBody',
    description: 'Changes of the signed-in user',
    examples: [{ name: 'Ada Lovelace' }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchMeBody = Static<typeof PatchMeBody>

export const Me = Type.Object(
  {
    id: IdOf('user'),
    email: EmailText,
    name: NullablePersonName,
    email_verified: Type.Boolean({ description: 'whether a link that was mailed to it was opened', examples: [true] }),
    pending_email: Nullable(Type.String({ description: 'the e-mail that replaces it once the mailed link is opened' })),
    totp_enabled: Type.Boolean({ description: 'whether a login requires a second factor' }),
    identity_provider_id: Nullable(
      Type.String({ description: 'identity provider that opened this session; null: it was opened with a password' }),
    ),
    created_at: Timestamp,
    organizations: Type.Array(Ref(Membership), { description: 'in the order in which the user joined them' }),
  },
  { $id: 'Me', description: 'The signed-in user with their permissions in each organization' },
)
export type Me = Static<typeof Me>

export const ChangePasswordBody = Type.Object(
  { current_password: GivenPassword, new_password: NewPassword, remember: Remember },
  { $id: 'ChangePasswordBody', additionalProperties: false },
)
export type ChangePasswordBody = Static<typeof ChangePasswordBody>

export const ChangeEmailBody = Type.Object(
  { email: Email, password: GivenPassword },
  { $id: 'ChangeEmailBody', additionalProperties: false },
)
export type ChangeEmailBody = Static<typeof ChangeEmailBody>

export const DeleteAccountBody = Type.Object(
  { password: GivenPassword },
  { $id: 'DeleteAccountBody', additionalProperties: false },
)
export type DeleteAccountBody = Static<typeof DeleteAccountBody>

export const VerifyEmailBody = Type.Object(
  { token: Secret({ minLength: 1, maxLength: 256, examples: ['q3Vd8JYk1nVtS7cQ0mXw2pBz5rGh9eLa4uTf6iNyRoK'] }) },
  { $id: 'VerifyEmailBody', additionalProperties: false },
)

export const VerifiedEmail = Type.Object(
  { email: EmailText },
  { $id: 'VerifiedEmail', description: 'The e-mail that is verified now' },
)

export const PasswordResetBody = Type.Object({ email: AnyEmail }, { $id: 'PasswordResetBody', additionalProperties: false })

/** Does not reveal whether an e-mail is known. */
export const Accepted = Type.Object(
  {},
  { $id: 'Accepted', additionalProperties: false, description: 'The same response for known and unknown e-mails' },
)
export type AcceptedAnswer = Static<typeof Accepted>

/** `totp_code` where the user has a second factor: a mailbox alone does not open the account. */
export const PasswordResetConfirmBody = Type.Object(
  {
    token: Secret({ minLength: 1, maxLength: 256, examples: ['pN3dQ0hVbXlM5yKc8sRz1TjWfGaUe7Ox2iYv4kLqB9Q'] }),
    new_password: NewPassword,
    totp_code: Type.Optional(TotpCode),
    remember: Remember,
  },
  { $id: 'PasswordResetConfirmBody', additionalProperties: false },
)
export type PasswordResetConfirmBody = Static<typeof PasswordResetConfirmBody>

export const RefreshQuery = Type.Object(
  {
    wall: Type.Optional(
      Type.Boolean({
        description:
          'for a screen on a wall: the session lives 30 days from now. Once the 30 days of the sign-in are over, it may only read. Nothing changes for a session that an identity provider opened.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const SessionItem = Type.Object(
  {
    id: IdOf('session'),
    current: Type.Boolean({ description: 'whether it is the session of this request', examples: [true] }),
    remembered: Type.Boolean({ description: 'whether its device stays signed in for 30 days' }),
    wall: Type.Boolean({
      description: 'whether a wall keeps it: it ends 30 days after its last refresh, and only reads by then',
    }),
    ip: Type.String({ description: 'address that signed in', examples: ['203.0.113.7'] }),
    user_agent: UserAgentText,
    created_at: Timestamp,
    last_used_at: Nullable({ ...Timestamp, description: 'accurate to the minute; null before the first use' }),
    expires_at: LaterTimestamp,
  },
  { $id: 'SessionItem', description: 'A session of the user' },
)
export type SessionItem = Static<typeof SessionItem>

export const SessionListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const SessionList = Type.Object(
  { sessions: Type.Array(Ref(SessionItem)), ...PageAnswer },
  { $id: 'SessionList', description: 'A page of the sessions of the user, newest first' },
)
export type SessionList = Static<typeof SessionList>

export const TotpState = Type.Object(
  {
    enabled: Type.Boolean({ examples: [true] }),
    enabled_at: Nullable(Timestamp),
    recovery_codes_left: Type.Integer({ minimum: 0, examples: [10] }),
  },
  { $id: 'TotpState', description: 'The state of the second factor' },
)
export type TotpState = Static<typeof TotpState>

const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** What an authenticator needs, and the ways in without one: in this answer only. */
export const TotpSetup = Type.Object(
  {
    secret: Secret({ description: 'base32, to be typed into an authenticator', examples: [TOTP_SECRET] }),
    otpauth_url: Secret({
      description: 'to be shown as a QR code',
      examples: [`otpauth://totp/Vedette:ada%40example.com?secret=${TOTP_SECRET}&issuer=Vedette`],
    }),
    recovery_codes: Type.Array(Secret({ examples: ['k3vq-8r2m-x5tz'] }), { description: 'each replaces a code once' }),
  },
  { $id: 'TotpSetup', description: 'The secret for an authenticator and the recovery codes; shown only once' },
)
export type TotpSetup = Static<typeof TotpSetup>

/**
 * POST without `code` starts a set-up (`password` where the session is older than five minutes), with it confirms the one that was
 * started. DELETE wants exactly one of the two.
 */
export const TotpBody = Type.Object(
  { code: Type.Optional(TotpCode), password: Type.Optional(GivenPassword) },
  { $id: 'TotpBody', additionalProperties: false, examples: [{}] },
)
export type TotpBody = Static<typeof TotpBody>
