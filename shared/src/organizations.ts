import { type Static, Type } from 'typebox'
import { ROLES } from './access.ts'
import { Email, GivenPassword, OrganizationName, TotpCode } from './auth.ts'
import { IdOf } from './ids.ts'
import { PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

/** A member's rank on the wire. */
const RoleName = Type.Enum([...ROLES])

/** Lists that are read whole by default: a person's organizations, an organization's members. */
export const WholeListQuery = Type.Object(
  { ...PageQuery, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })) },
  { additionalProperties: false },
)

export const InvitationListQuery = Type.Object(PageQuery, { additionalProperties: false })

/** `role` is the caller's own in that organization; an API key of scope `admin` stands as an admin. */
export const OrganizationItem = Type.Object(
  { id: IdOf('organization'), name: Type.String(), role: RoleName, created_at: Timestamp },
  { $id: 'OrganizationItem' },
)
export type OrganizationItem = Static<typeof OrganizationItem>

export const OrganizationList = Type.Object(
  { organizations: Type.Array(Ref(OrganizationItem)), ...PageAnswer },
  { $id: 'OrganizationList' },
)

const Count = Type.Integer({ minimum: 0 })

export const Organization = Type.Object(
  {
    id: IdOf('organization'),
    name: Type.String(),
    plan: Type.String(),
    member_count: Count,
    monitor_count: Count,
    server_count: Count,
    created_at: Timestamp,
  },
  { $id: 'Organization' },
)
export type Organization = Static<typeof Organization>

export const OrganizationBody = Type.Object({ name: OrganizationName }, { additionalProperties: false })

/** `name` repeats the organization's name: nobody deletes one by a slip. */
export const DeleteOrganizationBody = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200, description: "the organization's name, as a confirmation" }) },
  { additionalProperties: false },
)

export const Member = Type.Object(
  { id: IdOf('user'), email: Type.String(), role: RoleName, joined_at: Timestamp },
  { $id: 'Member' },
)
export type Member = Static<typeof Member>

export const MemberList = Type.Object({ members: Type.Array(Ref(Member)), ...PageAnswer }, { $id: 'MemberList' })

/** Ids in a path, of any text: what does not parse is answered like what does not exist. */
export const MemberParams = Type.Object({ id: Type.String({ maxLength: 2048 }), memberId: Type.String({ maxLength: 2048 }) })
export const InvitationParams = Type.Object({
  id: Type.String({ maxLength: 2048 }),
  invitationId: Type.String({ maxLength: 2048 }),
})

export const PatchMemberBody = Type.Object({ role: RoleName }, { additionalProperties: false })

export const InviteBody = Type.Object({ email: Email, role: RoleName }, { additionalProperties: false })
export type InviteBody = Static<typeof InviteBody>

const InvitationFields = {
  id: IdOf('invitation'),
  email: Type.String(),
  role: RoleName,
  invited_at: Timestamp,
  expires_at: Timestamp,
}

/** One that waits to be accepted; its link was shown when it was made. */
export const Invitation = Type.Object(InvitationFields, { $id: 'Invitation' })
export type Invitation = Static<typeof Invitation>

/** `accept_url` is shown this once. */
export const NewInvitation = Type.Object({ ...InvitationFields, accept_url: Type.String() }, { $id: 'NewInvitation' })
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationList = Type.Object({ invitations: Type.Array(Ref(Invitation)), ...PageAnswer }, { $id: 'InvitationList' })

/** The password is a new one for a new user; one who is known already gives theirs, and a code where they have a second factor. */
export const AcceptInvitationBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 512 }),
    password: GivenPassword,
    totp_code: Type.Optional(TotpCode),
  },
  { additionalProperties: false },
)
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>
