import {
  type AuthDeps,
  auditUser,
  createUser,
  findEmail,
  findUserByEmail,
  hashPassword,
  listOrganizationsOf,
  lockUser,
  openSession,
  type OpenedSession,
  type Origin,
  resetTotp,
  setPassword,
} from '../auth/index.ts'
import { recordAudit } from '../audit/index.ts'
import { addMember, setProvidedRole } from '../members/index.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../platform/db/index.ts'
import { forbidden } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { domainOf, type VouchedPerson } from './claims.ts'
import { findUserOfSubject, insertIdentity } from './identity-store.ts'
import type { IdentityProviderRow } from './store.ts'

interface Visit {
  provider: IdentityProviderRow
  person: VouchedPerson & { email: string }
  origin: Origin
  /** Of a password that nobody knows, for an account that gets one. */
  passwordHash: string
}

/**
 * Opens a session for the person whom a provider vouches for: the account of their subject; at the first sign-in that of their
 * e-mail, or a new one. The account must be of a member of the provider's organization alone who is not an owner. Throws forbidden
 * where one of this does not hold, plan_limit_reached.
 */
export async function openProvidedSession(
  deps: AuthDeps,
  provider: IdentityProviderRow,
  person: VouchedPerson,
  origin: Origin,
): Promise<OpenedSession> {
  const { email } = person
  if (email === undefined) throw forbidden('The identity provider sent no e-mail that it has verified.')
  if (!provider.email_domains.includes(domainOf(email)))
    throw forbidden('The identity provider may not sign in people with an e-mail of this domain.')
  const isLinked = (await findUserOfSubject(deps.db, provider.id, person.subject)) !== undefined
  // Hashing is slow by design: not inside of the transaction, and not for those who are linked.
  const passwordHash = isLinked ? '' : await hashPassword(randomBytes(32).toString('base64url'), origin)
  const visit = { provider, person: { ...person, email }, origin, passwordHash }
  const open = () => inTransaction(deps.db, (db) => openOnce(deps, db, visit))
  try {
    return await open()
  } catch (error) {
    if (!isUniqueViolation(error, 'app_user_email_key')) throw error
    // Another request created the account at the same moment.
    return open()
  }
}

async function openOnce(deps: AuthDeps, db: Db, visit: Visit): Promise<OpenedSession> {
  const { provider, person, origin } = visit
  const linked = await findUserOfSubject(db, provider.id, person.subject)
  const present = linked ?? (await findUserByEmail(db, person.email))?.id
  const userId = present ?? (await createAccount(deps, db, visit))
  await lockUser(db, userId)
  await requireOwnMember(db, provider.organization, userId)
  if (linked === undefined) await link(deps, db, visit, userId, present === undefined)
  if (person.role !== undefined) {
    const change = { userId, role: person.role, ip: origin.ip }
    await setProvidedRole(deps, db, provider.organization, change, providedBy(provider))
  }
  const provided = { provider: provider.id, subject: person.subject, sid: person.sid }
  return openSession(deps, db, userId, origin.ip, origin.userAgent, false, { provided })
}

const providedBy = ({ id }: IdentityProviderRow): object => ({ identity_provider: encodeId('identityProvider', id) })

/**
 * A new member. Their e-mail is not verified to the installation: the provider vouches to its organization only, and the owner of the
 * mailbox can claim the e-mail by an invitation of another one.
 */
async function createAccount(deps: AuthDeps, db: Db, { provider, person, origin, passwordHash }: Visit): Promise<string> {
  if (!provider.creates_accounts)
    throw forbidden('There is no account with your e-mail in this organization. Ask an administrator to invite you.')
  const userId = await createUser(db, deps.clock, person.email, passwordHash)
  const member = { userId, email: person.email, role: person.role ?? provider.default_role }
  await addMember(db, provider.organization, member, origin.ip, new Date(deps.clock.now()), providedBy(provider))
  return userId
}

async function requireOwnMember(db: Db, organization: number, userId: string): Promise<void> {
  const memberships = await listOrganizationsOf(db, userId)
  const own = memberships.find(({ number }) => number === organization)
  if (!own || memberships.length > 1)
    throw forbidden('The identity provider may not sign in this account: sign in with its password, or ask to be invited.')
  if (own.role === 'owner') throw forbidden('Owners sign in with their password.')
}

/**
 * Links an account to the subject from now on. One whose e-mail was never verified may be of somebody else, who made it by an
 * invitation: their password and second factor go, and their sessions end.
 */
async function link(deps: AuthDeps, db: Db, { provider, person, origin, passwordHash }: Visit, userId: string, isNew: boolean) {
  const at = new Date(deps.clock.now())
  if (!(await insertIdentity(db, provider.id, person.subject, userId, at)))
    throw forbidden('The account with this e-mail is of another person at the identity provider.')
  if (isNew) return
  const isVerified = Boolean((await findEmail(db, userId, at))?.email_verified_at)
  const actor = { principal: 'system', ip: origin.ip } as const
  const details = { email: person.email, password_replaced: !isVerified, ...providedBy(provider) }
  const entry = { action: 'member.linked', target: { kind: 'user', id: userId }, details } as const
  await recordAudit(db, provider.organization, actor, entry, at)
  if (isVerified) return
  await resetTotp(db, userId, at)
  const ended = await setPassword(db, userId, passwordHash, at)
  await auditUser(db, userId, origin.ip, { action: 'user.password_reset', details: { sessions_ended: ended } }, at)
}
