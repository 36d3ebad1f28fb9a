import type { Role } from '@vedette/shared'
import { publish } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { findUserById } from '../auth/index.ts'
import { refuseOverPlan } from '../plans/index.ts'
import { recordSecurityAudit } from '../security-log/index.ts'
import { countMembers, insertMembership } from './store.ts'
import { toPersonOfEvent } from './wire.ts'

interface NewMember {
  userId: string
  email: string
  role: Role
}

/**
 * Makes a user a member, by their own act; an existing member keeps their role. `details` go into the audit log. Run inside a
 * transaction, after the user is locked. Throws plan_limit_reached.
 */
export async function addMember(
  db: Db,
  organization: number,
  { userId, email, role }: NewMember,
  ip: string,
  at: Date,
  details: object = {},
): Promise<void> {
  if (!(await insertMembership(db, organization, userId, role, at))) return
  // The count includes the new member.
  await refuseOverPlan(db, organization, 'members', (counted) => countMembers(counted, organization), 0)
  const actor = { principal: { kind: 'user', userId } as const, ip }
  const entry = { action: 'member.joined', target: { kind: 'user', id: userId }, details: { email, role, ...details } } as const
  await recordSecurityAudit(db, organization, actor, entry, at)
  const member = { ...toPersonOfEvent(userId, await findUserById(db, userId)), email, role }
  await publish(db, organization, { type: 'member.joined', at, data: { member } })
}
