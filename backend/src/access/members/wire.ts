import type { Invitation, Member } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { InvitationRow } from './invitation-store.ts'
import type { MemberRow } from './store.ts'

export function toMember(row: MemberRow): Member {
  return {
    id: encodeId('user', row.user_id),
    email: row.email,
    name: row.name,
    email_verified: row.email_verified_at !== null,
    role: row.role,
    joined_at: toTimestamp(row.joined_at.getTime()),
  }
}

export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: encodeId('invitation', row.id),
    email: row.email,
    role: row.role,
    invited_at: toTimestamp(row.invited_at.getTime()),
    expires_at: toTimestamp(row.expires_at.getTime()),
  }
}

/** Who an event of a member is about; the id alone once the account is deleted. */
export const toPersonOfEvent = (userId: string, user: { email: string; name: string | null } | undefined) => ({
  user_id: encodeId('user', userId),
  ...(user && { email: user.email, name: user.name }),
})
