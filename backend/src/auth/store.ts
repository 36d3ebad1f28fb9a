import type { Role, Scope } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import type { Tenant } from './principal.ts'

export interface UserRow {
  id: string
  email: string
  password_hash: string
}

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('app_user').select(['id', 'email', 'password_hash']).where('email', '=', email).executeTakeFirst()
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('app_user').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function insertUser(db: Db, user: { id: string; email: string; passwordHash: string }, at: Date): Promise<void> {
  await db
    .insertInto('app_user')
    .values({ id: user.id, email: user.email, password_hash: user.passwordHash, password_changed_at: at, created_at: at })
    .execute()
}

export async function updatePasswordHash(db: Db, userId: string, passwordHash: string): Promise<void> {
  await db.updateTable('app_user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

export interface NewSession {
  id: string
  userId: string
  createdAt: Date
  expiresAt: Date
  ip: string
}

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  const { id, userId, createdAt, expiresAt, ip } = session
  await db
    .insertInto('session')
    .values({ id, user_id: userId, created_at: createdAt, expires_at: expiresAt, ended_at: null, ip })
    .execute()
}

export interface SessionMembership {
  tenant: Tenant | undefined
  role: Role | undefined
}

/**
 * The role of a living session's user in the organization of this id, or in the one joined first when none is given.
 * Undefined when the session is over or not this user's; an entry without tenant when the user does not belong.
 */
export async function findSession(
  db: Db,
  session: { id: string; userId: string },
  organizationId: string | undefined,
  at: Date,
): Promise<SessionMembership | undefined> {
  const row = await db
    .selectFrom('session')
    .leftJoinLateral(
      (join) =>
        join
          .selectFrom('membership')
          .innerJoin('organization', 'organization.number', 'membership.organization')
          .select(['membership.role', 'organization.number', 'organization.id as organization_id'])
          .whereRef('membership.user_id', '=', 'session.user_id')
          .$if(organizationId !== undefined, (query) => query.where('organization.id', '=', organizationId as string))
          .orderBy('membership.joined_at')
          .orderBy('membership.organization')
          .limit(1)
          .as('member'),
      (on) => on.onTrue(),
    )
    .select(['member.role', 'member.number', 'member.organization_id'])
    .where('session.id', '=', session.id)
    .where('session.user_id', '=', session.userId)
    .where('session.ended_at', 'is', null)
    .where('session.expires_at', '>', at)
    .executeTakeFirst()
  if (!row) return undefined
  if (row.number === null || row.organization_id === null || row.role === null) return { tenant: undefined, role: undefined }
  return { tenant: { number: row.number, id: row.organization_id }, role: row.role }
}

export type CredentialRow =
  | { kind: 'api_key'; keyId: string; tenant: Tenant; scopes: Scope[] }
  | { kind: 'server'; serverId: string; tenant: Tenant }

/** Whose secret this is, undefined when it is nobody's, revoked or expired. */
export async function findCredential(db: Db, hash: Buffer, at: Date): Promise<CredentialRow | undefined> {
  const row = await db
    .selectFrom('credential')
    .innerJoin('organization', 'organization.number', 'credential.organization')
    .leftJoin('api_key', (on) =>
      on.onRef('api_key.organization', '=', 'credential.organization').onRef('api_key.id', '=', 'credential.subject_id'),
    )
    .select(['credential.kind', 'credential.subject_id', 'organization.number', 'organization.id as organization_id'])
    .select(['api_key.scopes', 'api_key.expires_at', 'api_key.revoked_at'])
    .where('credential.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const tenant = { number: row.number, id: row.organization_id }
  if (row.kind === 'server_token') return { kind: 'server', serverId: row.subject_id, tenant }
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= at)
  return isOver || !row.scopes ? undefined : { kind: 'api_key', keyId: row.subject_id, tenant, scopes: row.scopes }
}

export interface NewApiKey {
  id: string
  hash: Buffer
  name: string
  prefix: string
  scopes: Scope[]
  createdBy: string | null
}

export async function insertApiKey(db: Db, organization: number, key: NewApiKey, at: Date): Promise<void> {
  const { id, hash, name, prefix, scopes, createdBy } = key
  await db.insertInto('credential').values({ hash, kind: 'api_key', organization, subject_id: id }).execute()
  await db
    .insertInto('api_key')
    .values({
      organization,
      id,
      hash,
      name,
      prefix,
      scopes,
      created_by: createdBy,
      created_at: at,
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    })
    .execute()
}

/** When an API key of the organization was made. */
export async function findApiKeyCreation(db: Db, organization: number, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select('created_at')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.created_at
}

/** Makes this the one living token of the server; the one before is dead with the commit. */
export async function replaceServerToken(db: Db, organization: number, serverId: string, hash: Buffer): Promise<void> {
  await deleteServerToken(db, organization, serverId)
  await db.insertInto('credential').values({ hash, kind: 'server_token', organization, subject_id: serverId }).execute()
}

export async function deleteServerToken(db: Db, organization: number, serverId: string): Promise<void> {
  await db
    .deleteFrom('credential')
    .where('organization', '=', organization)
    .where('kind', '=', 'server_token')
    .where('subject_id', '=', serverId)
    .execute()
}

/** Refused from now on; the record stays for the list. */
export async function revokeApiKey(db: Db, organization: number, id: string, at: Date): Promise<void> {
  await db.updateTable('api_key').set({ revoked_at: at }).where('organization', '=', organization).where('id', '=', id).execute()
}
