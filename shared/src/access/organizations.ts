import { type Static, Type } from 'typebox'
import { Email, GivenPassword, NullablePersonName, OrganizationName, PersonName, Remember, TotpCode } from './auth.ts'
import { IdOf } from '../wire/ids.ts'
import { PageLanguageName } from '../pages/status-pages.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { RoleName } from './roles.ts'
import { EmailText, LaterTimestamp, Nullable, PageAnswer, PageLimit, PageQuery, Ref, Secret, Timestamp } from '../wire/wire.ts'

/** Lists that are read whole by default: a person's organizations, an organization's members. */
export const WholeListQuery = Type.Object({ ...PageQuery, limit: PageLimit(100) }, { additionalProperties: false })

export const InvitationListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const OrganizationItem = Type.Object(
  { id: IdOf('organization'), name: Type.String({ examples: ['Example'] }), role: Ref(RoleName), created_at: Timestamp },
  {
    $id: 'OrganizationItem',
    description: "An organization with the caller's role in it; for an API key with the scope `admin` the role is `admin`",
  },
)
export type OrganizationItem = Static<typeof OrganizationItem>

export const OrganizationList = Type.Object(
  { organizations: Type.Array(Ref(OrganizationItem)), ...PageAnswer },
  { $id: 'OrganizationList', description: 'A page of the organizations of the caller, newest first' },
)

const Count = Type.Integer({ minimum: 0 })

const RequireSecondFactor = Type.Boolean({
  description: 'whether members without a second factor are refused (403) until they set one up; API keys are not affected',
})
const ApiKeyMaxDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 3_650,
    description: 'days within which a new API key must expire; null: it may have no expiry',
    examples: [90],
  }),
)

export const Organization = Type.Object(
  {
    id: IdOf('organization'),
    name: Type.String({ examples: ['Example'] }),
    plan: Type.String({ description: '`free`, `pro` or `enterprise`; plans may be added', examples: ['enterprise'] }),
    member_count: { ...Count, examples: [2] },
    monitor_count: Count,
    server_count: Count,
    require_second_factor: RequireSecondFactor,
    api_key_max_days: ApiKeyMaxDays,
    language: Ref(PageLanguageName),
    created_at: Timestamp,
  },
  { $id: 'Organization', description: 'An organization with its counts' },
)
export type Organization = Static<typeof Organization>

export const OrganizationBody = Type.Object({ name: OrganizationName }, { $id: 'OrganizationBody', additionalProperties: false })

export const PatchOrganizationBody = Type.Object(
  {
    name: Type.Optional(OrganizationName),
    require_second_factor: Type.Optional(RequireSecondFactor),
    api_key_max_days: Type.Optional(ApiKeyMaxDays),
    language: Type.Optional(Ref(PageLanguageName)),
  },
  { $id: 'PatchOrganizationBody', additionalProperties: false, description: 'Absent fields stay as they are' },
)
export type PatchOrganizationBody = Static<typeof PatchOrganizationBody>

/** `name` repeats the organization's name: nobody deletes one by a slip. */
export const DeleteOrganizationBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: "the organization's name, as a confirmation",
      examples: ['Example'],
    }),
  },
  { $id: 'DeleteOrganizationBody', additionalProperties: false },
)

export const Member = Type.Object(
  {
    id: IdOf('user'),
    email: EmailText,
    name: NullablePersonName,
    email_verified: Type.Boolean({ description: 'whether a link that was mailed to it was opened', examples: [true] }),
    role: Ref(RoleName),
    joined_at: Timestamp,
  },
  { $id: 'Member', description: 'A user in an organization' },
)
export type Member = Static<typeof Member>

export const MemberList = Type.Object(
  { members: Type.Array(Ref(Member)), ...PageAnswer },
  { $id: 'MemberList', description: 'A page of members, the newest first' },
)

export const PatchMemberBody = Type.Object({ role: Ref(RoleName) }, { $id: 'PatchMemberBody', additionalProperties: false })

export const InviteBody = Type.Object({ email: Email, role: Ref(RoleName) }, { $id: 'InviteBody', additionalProperties: false })
export type InviteBody = Static<typeof InviteBody>

const InvitationFields = {
  id: IdOf('invitation'),
  email: EmailText,
  role: Ref(RoleName),
  invited_at: Timestamp,
  expires_at: LaterTimestamp,
}

export const Invitation = Type.Object(InvitationFields, {
  $id: 'Invitation',
  description: 'A pending invitation, without its link',
})
export type Invitation = Static<typeof Invitation>

export const NewInvitation = Type.Object(
  {
    ...InvitationFields,
    accept_url: Type.Optional(
      Secret({ description: 'the link, shown only once; absent if mail is configured: then only the mail contains it' }),
    ),
  },
  { $id: 'NewInvitation', description: 'The invitation, with its link if no mail is configured' },
)
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationList = Type.Object(
  { invitations: Type.Array(Ref(Invitation)), ...PageAnswer },
  { $id: 'InvitationList', description: 'A page of pending invitations, newest first' },
)

const TOKEN = 'q8Yt2LxVbN5mKc0sRz7TjWfGaUe1Ox3iPv4kHqD9B6M'

const InvitationToken = Secret({ minLength: 1, maxLength: 512, examples: [TOKEN] })

export const ReadInvitationBody = Type.Object(
  { token: InvitationToken },
  { $id: 'ReadInvitationBody', additionalProperties: false },
)
export type ReadInvitationBody = Static<typeof ReadInvitationBody>

export const InvitationOffer = Type.Object(
  {
    organization: Type.String({ description: 'its name', examples: ['Example'] }),
    email: EmailText,
    role: Ref(RoleName),
    invited_by: Type.Union([Type.Object({ email: EmailText, name: NullablePersonName }), Type.Null()], {
      description: 'null where an API key invited, or the user no longer exists',
    }),
    expires_at: LaterTimestamp,
  },
  { $id: 'InvitationOffer', description: 'What the link of an invitation leads to' },
)
export type InvitationOffer = Static<typeof InvitationOffer>

/** `name` is that of a new user. The password is a new one for a new user; one who is known already gives theirs, and a code where they have a second factor. */
export const AcceptInvitationBody = Type.Object(
  {
    token: InvitationToken,
    password: GivenPassword,
    name: Type.Optional(PersonName),
    totp_code: Type.Optional(TotpCode),
    remember: Remember,
    replace_unverified: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'creates a new account where the present one of this e-mail was never verified and is not yours',
      }),
    ),
  },
  { $id: 'AcceptInvitationBody', additionalProperties: false },
)
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>
