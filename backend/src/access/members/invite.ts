import { DAY_MS, type InviteBody, type NewInvitation } from '@vedette/shared'
import { publish } from '../../notifying/notifications/index.ts'
import { recordAudit, refuseTooMany } from '../audit/index.ts'
import { type Caller, normalizeEmail, type Tenant, tenantOf } from '../auth/index.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { refuseOverPlan } from '../plans/index.ts'
import { invitationMail } from './invitation-mail.ts'
import * as store from './invitation-store.ts'
import { createInvitationToken } from './invitation-token.ts'
import { demand, invitableRoles, isAbove, rankOf } from './rank.ts'
import type { MemberDeps } from './service.ts'
import { countMembers, isMemberEmail, lockMembers } from './store.ts'
import { toInvitation } from './wire.ts'

export interface InvitationDeps extends MemberDeps {
  outbox: Outbox
  /** Invitations, renewed ones included, that an organization may send in 24 hours. */
  invitationsPerDay: number
  /** How people reach the dashboard, without a trailing slash. */
  publicUrl(): string
}

/** Long enough for a week of holidays. */
const VALID_MS = 7 * DAY_MS

/**
 * Invites an e-mail. A repeat renews a pending invitation under the same id and invalidates the previous link. Only the mail contains
 * the link, so that it proves who owns the e-mail; without a mail server only this result. Throws forbidden for a role, or a pending
 * invitation to one, above the caller's; conflict for a member; plan_limit_reached;
 * rate_limited beyond the invitations of a day.
 */
export async function inviteMember(deps: InvitationDeps, caller: Caller, body: InviteBody): Promise<NewInvitation> {
  const tenant = tenantOf(caller.principal)
  const { token, tokenHash } = createInvitationToken()
  const now = deps.clock.now()
  const terms = { role: body.role, invited_at: new Date(now), expires_at: new Date(now + VALID_MS) }
  const invitedBy = caller.principal.kind === 'user' ? caller.principal.userId : null
  const draft = { id: newId(), email: normalizeEmail(body.email), ...terms, tokenHash, invitedBy, mailed: deps.outbox.sendsMail }
  const page = `${deps.publicUrl()}/invitations/accept`

  const invitation = await inTransaction(deps.db, async (db) => {
    const members = await lockMembers(db, tenant.number, invitedBy === null ? [] : [invitedBy])
    const rank = rankOf(caller.principal, members)
    demand(rank, 'members:invite')
    if (isAbove(body.role, rank)) throw forbidden('You cannot invite to a role above your own.')
    // After the lock of the owners: the limit is exact. Renewals count, because each sends a mail; so do revoked invitations.
    const perDay = { noun: 'invitations', per: 'organization and day', max: deps.invitationsPerDay, windowMs: DAY_MS }
    await refuseTooMany(db, tenant.number, { ...perDay, actions: ['member.invited'] }, now)
    await store.deleteExpired(db, tenant.number, terms.invited_at)
    const id = await store.upsertInvitation(db, tenant.number, draft, invitableRoles(rank))
    if (id === undefined) throw aboveOwn()
    // After the lock: a user who accepted the invitation at the same moment is a member now.
    if (await isMemberEmail(db, tenant.number, draft.email)) throw conflict(`${draft.email} is a member already.`)
    await refuseOverPlan(db, tenant.number, 'members', (db) => countMembers(db, tenant.number))
    const target = { kind: 'invitation', id } as const
    const details = { email: draft.email, role: body.role, ...(id === draft.id ? {} : { renewed: true }) }
    await recordAudit(db, tenant.number, caller, { action: 'member.invited', target, details }, terms.invited_at)
    const data = { member: { email: draft.email, role: body.role } }
    await publish(db, tenant.number, { type: 'member.invited', at: terms.invited_at, data })
    const invitation = toInvitation({ ...draft, id })
    // In the mail as a fragment, which browsers send to no server and no log has.
    const letterhead = await store.findLetterhead(db, tenant.number, invitedBy)
    const letter = {
      to: draft.email,
      ...letterhead,
      role: body.role,
      acceptUrl: `${page}#token=${token}`,
      expiresAt: invitation.expires_at,
    }
    // Sent later: a slow mail server must not delay the response.
    await deps.outbox.put(db, { organization: tenant.number, ...target }, invitationMail(letter), terms.invited_at)
    return invitation
  })
  return deps.outbox.sendsMail ? invitation : { ...invitation, accept_url: `${page}?token=${token}` }
}

/** Deletes expired invitations. */
export async function deleteExpiredInvitations(db: Db, nowMs: number): Promise<void> {
  await inTransaction(db, (transaction) => store.deleteAllExpired(transaction, new Date(nowMs)))
}

/** One page of pending invitations, newest first. */
export async function listInvitations({ db, clock }: MemberDeps, tenant: Tenant, request: PageRequest) {
  const { total, rows } = await store.listPending(db, tenant.number, new Date(clock.now()), request)
  return { invitations: rows.map(toInvitation), total, page: request.page, limit: request.limit }
}

const aboveOwn = () => forbidden('You cannot change an invitation to a role above your own.')

/**
 * Revokes an invitation; its link is invalid from then on. Throws not_found for one that is not pending, forbidden for one to a role
 * above the caller's.
 */
export async function revokeInvitation({ db, clock }: MemberDeps, caller: Caller, id: string): Promise<void> {
  const { principal } = caller
  const { number } = tenantOf(principal)
  const at = new Date(clock.now())
  await inTransaction(db, async (db) => {
    const rank = rankOf(principal, await lockMembers(db, number, principal.kind === 'user' ? [principal.userId] : []))
    demand(rank, 'members:invite')
    const pending = await store.lockPending(db, number, id, at)
    if (!pending) throw notFound()
    const { email, role } = pending
    if (isAbove(role, rank)) throw aboveOwn()
    await store.deleteInvitation(db, number, id)
    const entry = { action: 'invitation.revoked', target: { kind: 'invitation', id } as const, details: { email, role } }
    await recordAudit(db, number, caller, entry, at)
  })
}
