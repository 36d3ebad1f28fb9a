import type { DeleteAccountBody } from '@vedette/shared'
import {
  deleteUser,
  findUserById,
  listOrganizationsOf,
  lockUser,
  type Origin,
  recordAccountEvent,
  type UserPrincipal,
  verifyPassword,
} from '../auth/index.ts'
import { composeMail, deleteAccountMails, type Outbox } from '../../notifying/mail/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { conflict, unauthorized } from '../../platform/errors.ts'
import { isLastOwner } from './rank.ts'
import { type MemberDeps, removeMember } from './service.ts'
import { lockMembers } from './store.ts'

export interface DeleteAccountDeps extends MemberDeps {
  outbox: Outbox
}

/**
 * Deletes the account of a user who sends their password: sessions, second factor, memberships. What they made in organizations stays
 * there. Throws unauthorized for a wrong password; conflict while an organization has no other owner, which it names.
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  principal: UserPrincipal,
  body: DeleteAccountBody,
  origin: Origin,
): Promise<void> {
  const { userId } = principal
  const wrong = unauthorized('The password is wrong.')
  const user = await findUserById(deps.db, userId)
  if (!(await verifyPassword(user?.password_hash, body.password, origin)) || !user) {
    await recordAccountEvent(deps, 'password.wrong', userId, origin)
    throw wrong
  }
  await inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    if ((await lockUser(db, userId)) !== user.password_hash) throw wrong
    const organizations = await listOrganizationsOf(db, userId)
    const owned: string[] = []
    for (const { number, name } of organizations) {
      const members = await lockMembers(db, number, [userId])
      if (members.some((member) => member.userId === userId && isLastOwner(member, members))) owned.push(name)
    }
    if (owned.length > 0)
      throw conflict(`You are the only owner of ${owned.join(', ')}. Make another member an owner, or delete it, first.`)
    for (const { number, id, role } of organizations) {
      const inOrganization = { ...principal, tenant: { number, id }, role }
      await removeMember({ ...deps, db }, { principal: inOrganization, ip: origin.ip }, userId)
    }
    await recordAccountEvent({ ...deps, db }, 'user.deleted', userId, origin, { email: user.email })
    await deleteUser(db, userId)
    await deleteAccountMails(db, userId)
    const paragraphs = ['Your account at Vedette was deleted, as you requested. This is the last mail about it.']
    const mail = composeMail({
      to: user.email,
      language: organizations[0]?.language ?? 'en',
      subject: 'Your account was deleted',
      paragraphs,
    })
    await deps.outbox.put(db, { kind: 'user', id: userId }, mail, at)
  })
}
