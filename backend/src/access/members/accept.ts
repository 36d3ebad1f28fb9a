import { type AcceptInvitationBody, type InvitationOffer, type ReadInvitationBody, toTimestamp } from '@vedette/shared'
import {
  createUser,
  findUserByEmail,
  hashPassword,
  markVerified,
  type OpenedSession,
  openVerifiedSession,
  openSession,
  type Origin,
  passwordFault,
  releaseEmail,
  verifyUser,
  type SignInDeps,
} from '../auth/index.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { findOffer, findTerms, type Offer, takeOffer } from './invitation-store.ts'
import { hashInvitationToken } from './invitation-token.ts'
import { addMember } from './join.ts'

export interface AcceptDeps extends SignInDeps {
  /** Counts one login of this e-mail, so that invitations do not bypass the limit of logins. Throws rate_limited. */
  limitEmail(email: string): void | Promise<void>
}

/** What a link leads to, for who has it. Throws not_found for a token that is unknown, used, renewed, revoked or expired. */
export async function readInvitation(
  { db, clock }: Pick<AcceptDeps, 'db' | 'clock'>,
  { token }: ReadInvitationBody,
): Promise<InvitationOffer> {
  const terms = await findTerms(db, hashInvitationToken(token), new Date(clock.now()))
  if (!terms) throw notFound()
  const { organization, email, role, expires_at: expiresAt, inviter_email: by, inviter_name: name } = terms
  const invitedBy = by === null ? null : { email: by, name }
  return { organization, email, role, invited_by: invitedBy, expires_at: toTimestamp(expiresAt.getTime()) }
}

/**
 * Accepts an invitation: the user of its e-mail becomes a member and is signed in. A new e-mail becomes a user with this password, an
 * existing user signs in like at a login. An existing member keeps their role. Throws not_found for a token that is unknown, used,
 * renewed, revoked or expired; conflict where a verified account was to be replaced; unauthorized and totp_required like a login; validation_error for a weak new password;
 * plan_limit_reached.
 */
export async function acceptInvitation(deps: AcceptDeps, body: AcceptInvitationBody, origin: Origin): Promise<OpenedSession> {
  const tokenHash = hashInvitationToken(body.token)
  const offer = await findOffer(deps.db, tokenHash, new Date(deps.clock.now()))
  if (!offer) throw notFound()
  await deps.limitEmail(offer.email)
  try {
    return await acceptOnce(deps, offer, tokenHash, body, origin)
  } catch (error) {
    if (!isUniqueViolation(error, 'app_user_email_key')) throw error
    // Another invitation created the user at the same moment: now the password has to be verified.
    return acceptOnce(deps, offer, tokenHash, body, origin)
  }
}

async function acceptOnce(
  deps: AcceptDeps,
  offer: Offer,
  tokenHash: Buffer,
  body: AcceptInvitationBody,
  origin: Origin,
): Promise<OpenedSession> {
  const person = await provePerson(deps, offer, body, origin)
  return inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    const role = await takeOffer(db, offer, tokenHash, at)
    if (!role) throw notFound()
    // The user is locked before the membership: two simultaneous invitations of one user wait for each other.
    const { userId, session } = await person.signIn(db)
    await addMember(db, offer.organization, { userId, email: offer.email, role }, origin.ip, at)
    return session
  })
}

/** A verified person; `signIn` runs in the transaction that accepts the invitation. */
interface Person {
  signIn(db: Db): Promise<{ userId: string; session: OpenedSession }>
}

/**
 * Verifies the user of this e-mail like a login; prepares a new user when there is none, or where the present one never proved to own
 * the e-mail, this token did, and the caller wants to replace them. A mailed token verifies the e-mail.
 */
async function provePerson(
  deps: AcceptDeps,
  { email, mailed }: Offer,
  { token: _token, replace_unverified: isReplacing = false, ...given }: AcceptInvitationBody,
  origin: Origin,
): Promise<Person> {
  const present = await findUserByEmail(deps.db, email)
  if (present && !(isReplacing && mailed)) {
    const user = await verifyUser(deps, { email, ...given }, origin)
    return {
      signIn: async (db) => {
        const session = await openVerifiedSession(deps, db, user, origin, given.remember)
        if (mailed) await markVerified(db, user.id, new Date(deps.clock.now()))
        return { userId: user.id, session }
      },
    }
  }
  const fault = passwordFault(given.password)
  if (fault !== undefined) throw invalid({ path: 'password', message: fault })
  const passwordHash = await hashPassword(given.password, origin)
  return {
    signIn: async (db) => {
      if (present && !(await releaseEmail(deps, db, present.id, origin)))
        throw conflict('The account with this e-mail is verified. Sign in with its password, or request a new one.')
      const userId = await createUser(db, deps.clock, email, passwordHash, { isVerified: mailed, name: given.name })
      return { userId, session: await openSession(deps, db, userId, origin.ip, origin.userAgent, given.remember) }
    },
  }
}
