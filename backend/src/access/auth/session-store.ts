import type { Role } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, type Pool, readPage, type TableRow } from '../../platform/db/index.ts'
import type { Tenant } from './principal.ts'
import { SESSION_HOLDS } from './session-holds.ts'
import { NEEDS_SECOND_FACTOR } from './store.ts'

export interface NewSession {
  id: string
  userId: string
  createdAt: Date
  expiresAt: Date
  ip: string
  userAgent: string
  by: SessionProof
}

/** What opened a session instead of a password. */
export interface SessionProof {
  provided?: ProvidedSession | undefined
  /** Id of the passkey. */
  passkey?: string | undefined
}

/** How an identity provider names a session that it opened. */
export interface ProvidedSession {
  /** Id of the provider. */
  provider: string
  subject: string
  /** Of the provider's own session; undefined where it does not say. */
  sid: string | undefined
}

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  const { id, userId, createdAt, expiresAt, ip, userAgent, by } = session
  const { provided, passkey = null } = by
  const origin = provided && {
    identity_provider: provided.provider,
    provider_subject: provided.subject,
    provider_session: provided.sid ?? null,
  }
  await db
    .insertInto('session')
    .values({
      id,
      user_id: userId,
      created_at: createdAt,
      expires_at: expiresAt,
      ended_at: null,
      ip,
      user_agent: userAgent,
      passkey,
      ...origin,
    })
    .execute()
}

export interface SessionMembership {
  tenant: Tenant | undefined
  role: Role | undefined
  needsSecondFactor: boolean
  /** Id of the identity provider that opened the session. */
  identityProvider: string | undefined
  /** Id of the passkey that opened the session. */
  passkey: string | undefined
  lastUsedAt: Date | null
  /** A wall has kept it beyond its end. */
  onlyReads: boolean
}

interface SessionRowOfMember {
  only_reads: boolean
  last_used_at: Date | null
  identity_provider: string | null
  passkey: string | null
  role: Role | null
  number: number | null
  organization_id: string | null
  needs_second_factor: boolean | null
}

const findSessionWhere = (organization: string) => `
select session.last_used_at, coalesce(session.full_until <= $3, false) as only_reads, session.identity_provider, session.passkey, member.role, member.number, member.organization_id, member.needs_second_factor from session
left join lateral (
  select membership.role, organization.number, organization.id as organization_id, ${NEEDS_SECOND_FACTOR} as needs_second_factor
  from membership join organization on organization.number = membership.organization
  where membership.user_id = session.user_id ${organization}
  order by membership.joined_at, membership.organization limit 1
) as member on true
where session.id = $1 and session.user_id = $2 and session.ended_at is null and session.expires_at > $3 and ${SESSION_HOLDS}`

const FIND_SESSION_FIRST = findSessionWhere('')
const FIND_SESSION_OF = findSessionWhere('and organization.id = $4')

/**
 * The role of a session's user in the organization with this id, or by default in the one that they joined first. Undefined when the
 * session has ended or belongs to another user; without a tenant when the user is not a member.
 */
export async function findSession(
  pool: Pool,
  session: { id: string; userId: string },
  organizationId: string | undefined,
  at: Date,
): Promise<SessionMembership | undefined> {
  const [row] = await pool.queryNamed<SessionRowOfMember>({
    sql: organizationId === undefined ? FIND_SESSION_FIRST : FIND_SESSION_OF,
    parameters: [session.id, session.userId, at, ...(organizationId === undefined ? [] : [organizationId])],
  })
  if (!row) return undefined
  const { number, organization_id: id, last_used_at: lastUsedAt, only_reads: onlyReads } = row
  const role = row.role && onlyReads ? 'viewer' : row.role
  const [identityProvider, passkey] = [row.identity_provider ?? undefined, row.passkey ?? undefined]
  if (number === null || id === null || role === null)
    return { tenant: undefined, role: undefined, needsSecondFactor: false, identityProvider, passkey, lastUsedAt, onlyReads }
  // The provider has vouched for the user by its own rules, a second factor among them.
  const needsSecondFactor = row.needs_second_factor === true && identityProvider === undefined && passkey === undefined
  return { tenant: { number, id }, role, needsSecondFactor, identityProvider, passkey, lastUsedAt, onlyReads }
}

/** When a session was opened. */
export async function findSessionCreation(db: Db, id: string): Promise<Date | undefined> {
  return (await db.selectFrom('session').select('created_at').where('id', '=', id).executeTakeFirst())?.created_at
}

export async function touchSession(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('session').set({ last_used_at: at }).where('id', '=', id).execute()
}

export type SessionRow = Pick<TableRow<'session'>, 'id' | 'created_at' | 'last_used_at' | 'expires_at' | 'ip' | 'user_agent'> & {
  is_remembered: boolean
  is_of_wall: boolean
}

/** One page of a user's valid sessions, newest first, and the total. */
export function listSessions(
  db: Db,
  userId: string,
  at: Date,
  page: PageRequest,
): Promise<{ total: number; rows: SessionRow[] }> {
  const query = db
    .selectFrom('session')
    .leftJoin('session_refresh', 'session_refresh.session_id', 'session.id')
    .select(['id', 'created_at', 'last_used_at', 'expires_at', 'ip', 'user_agent'])
    .select(sql<boolean>`session_refresh.session_id is not null and identity_provider is null`.as('is_remembered'))
    .select(sql<boolean>`full_until is not null`.as('is_of_wall'))
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
  return readPage(db, query, sql`created_at desc, id`, page)
}

/** Ends a session of this user, and the notifications that it turned on in its browser; false when there is no valid one with this id. */
export async function endSession(db: Db, userId: string, id: string, at: Date): Promise<boolean> {
  const row = await db
    .updateTable('session')
    .set({ ended_at: at })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('id')
    .executeTakeFirst()
  await db.deleteFrom('push_subscription').where('user_id', '=', userId).where('session_id', '=', id).execute()
  return row !== undefined
}

/** Ends all sessions of a user, or all but one, and the notifications in their browsers; returns the number of sessions. */
export async function endSessions(db: Db, userId: string, at: Date, except?: string): Promise<number> {
  const result = await db
    .updateTable('session')
    .set({ ended_at: at })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .$if(except !== undefined, (update) => update.where('id', '!=', except as string))
    .executeTakeFirst()
  await db
    .deleteFrom('push_subscription')
    .where('user_id', '=', userId)
    .$if(except !== undefined, (remove) => remove.where('session_id', 'is distinct from', except as string))
    .execute()
  return Number(result.numUpdatedRows)
}

/**
 * Ends sessions that an identity provider opened, and the notifications in their browsers: all of them, those of one of its sessions
 * (`sid`), or those of one subject. Returns the sessions with their users.
 */
export async function endProvidedSessions(
  db: Db,
  provider: string,
  { sid, subject }: { sid?: string | undefined; subject?: string | undefined },
  at: Date,
): Promise<{ id: string; userId: string }[]> {
  const rows = await db
    .updateTable('session')
    .set({ ended_at: at })
    .where('identity_provider', '=', provider)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .$if(sid !== undefined, (update) => update.where('provider_session', '=', sid as string))
    .$if(subject !== undefined, (update) => update.where('provider_subject', '=', subject as string))
    .returning(['id', 'user_id'])
    .execute()
  await deleteBrowsersOf(db, rows)
  return rows.map(({ id, user_id: userId }) => ({ id, userId }))
}

/** Ends the sessions of a passkey but one, and the notifications in their browsers; returns their number. */
export async function endSessionsOfPasskey(db: Db, passkey: string, at: Date, except: string): Promise<number> {
  const rows = await db
    .updateTable('session')
    .set({ ended_at: at })
    .where('passkey', '=', passkey)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .where('id', '!=', except)
    .returning('id')
    .execute()
  await deleteBrowsersOf(db, rows)
  return rows.length
}

async function deleteBrowsersOf(db: Db, sessions: readonly { id: string }[]): Promise<void> {
  const ids = sessions.map(({ id }) => id)
  await db.deleteFrom('push_subscription').where('session_id', '=', sql<string>`any(${ids}::uuid[])`).execute()
}

/** Deletes sessions when their time is over, also ended ones. Skips rows that another process deletes. */
export async function deleteExpiredSessions(db: Db, at: Date): Promise<void> {
  const expired = db.selectFrom('session').select('id').where('expires_at', '<=', at).forUpdate().skipLocked()
  await db.deleteFrom('session').where('id', 'in', expired).execute()
}
