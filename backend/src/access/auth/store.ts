import type { QuietTime, Role, Scope, SavedView } from '@vedette/shared'
import { sql } from 'kysely'
import { NO_ORGANIZATION } from '../../notifying/mail/index.ts'
import { binaryArray, type Db, type Pool, type TableRow } from '../../platform/db/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { ApiKeyPrincipal, Tenant } from './principal.ts'
import { SESSION_HOLDS } from './session-holds.ts'

export type UserRow = Pick<TableRow<'app_user'>, 'id' | 'email' | 'password_hash'>

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('app_user').select(['id', 'email', 'password_hash']).where('email', '=', email).executeTakeFirst()
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('app_user').select('id').limit(1).executeTakeFirst()) !== undefined
}

export interface NewUser {
  id: string
  email: string
  passwordHash: string
  isVerified: boolean
  name?: string | undefined
}

export async function insertUser(db: Db, user: NewUser, at: Date): Promise<void> {
  await db
    .insertInto('app_user')
    .values({
      id: user.id,
      email: user.email,
      name: user.name ?? null,
      email_verified_at: user.isVerified ? at : null,
      password_hash: user.passwordHash,
      password_changed_at: at,
      created_at: at,
    })
    .execute()
}

export function findUserById(db: Db, id: string): Promise<(UserRow & { created_at: Date; name: string | null }) | undefined> {
  return db
    .selectFrom('app_user')
    .select(['id', 'email', 'password_hash', 'created_at', 'name'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function updateUserName(db: Db, id: string, name: string | null): Promise<void> {
  await db.updateTable('app_user').set({ name }).where('id', '=', id).execute()
}

/** Deletes the user with sessions, second factor and links; not their memberships. */
export async function deleteUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('app_user').where('id', '=', userId).execute()
}

/** The password hash; locks the user until the transaction ends, so that changes of an account are sequential. */
export async function lockUser(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('app_user').select('password_hash').where('id', '=', id).forUpdate().executeTakeFirst()
  return row?.password_hash
}

/** Stores another hash of the same password. */
export async function updatePasswordHash(db: Db, userId: string, passwordHash: string): Promise<void> {
  await db.updateTable('app_user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}

/** A new password. */
export async function changePasswordHash(db: Db, userId: string, passwordHash: string, at: Date): Promise<void> {
  const change = { password_hash: passwordHash, password_changed_at: at }
  await db.updateTable('app_user').set(change).where('id', '=', userId).execute()
}

export interface UserOrganization {
  number: number
  id: string
  name: string
  role: Role
  joined_at: Date
  needs_second_factor: boolean
  weekly_summary: boolean
  language: Language
  saved_views: SavedView[]
  quiet_time: QuietTime | null
}

/** Whether the organization of a membership demands a second factor that a session by password alone of its user does not have. */
export const NEEDS_SECOND_FACTOR = `(organization.require_second_factor and not exists (
  select from user_totp where user_totp.user_id = membership.user_id and user_totp.enabled_at is not null))`

/**
 * Whether the organization of a membership refuses its user in whatever way they sign in: they need a second factor, have no passkey,
 * and no identity provider of the organization has signed them in.
 */
export const IS_REFUSED = `(${NEEDS_SECOND_FACTOR} and not exists (select from passkey where passkey.user_id = membership.user_id) and not exists (
  select from user_identity join identity_provider on identity_provider.id = user_identity.identity_provider
  where user_identity.user_id = membership.user_id and identity_provider.organization = membership.organization
    and identity_provider.enabled and identity_provider.deleted_at is null))`

/** All organizations of a user, in the order in which they joined them. */
export function listOrganizationsOf(db: Db, userId: string): Promise<UserOrganization[]> {
  return db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.number', 'membership.organization')
    .select(['organization.number', 'organization.id', 'organization.name', 'membership.role', 'membership.joined_at'])
    .select(['membership.saved_views', 'membership.quiet_time', 'organization.language'])
    .leftJoin('weekly_summary as summary', (on) =>
      on.onRef('summary.organization', '=', 'membership.organization').onRef('summary.user_id', '=', 'membership.user_id'),
    )
    .select(sql<boolean>`${sql.raw(NEEDS_SECOND_FACTOR)}`.as('needs_second_factor'))
    .select(sql<boolean>`summary.next_at is not null`.as('weekly_summary'))
    .where('membership.user_id', '=', userId)
    .orderBy('membership.joined_at')
    .orderBy('membership.organization')
    .execute()
}

/** The organization for which mails about an account count: the first that the user joined. */
export const answersFor = async (db: Db, userId: string): Promise<number> =>
  (await listOrganizationsOf(db, userId))[0]?.number ?? NO_ORGANIZATION

/** In which mails about an account are written: that of the same organization. */
export const languageOfUser = async (db: Db, userId: string): Promise<Language> =>
  (await listOrganizationsOf(db, userId))[0]?.language ?? 'en'

/** In which people of an organization read what nobody asked for. */
export const languageOfOrganization = async (db: Db, organization: number): Promise<Language> =>
  (await db.selectFrom('organization').select('language').where('number', '=', organization).executeTakeFirst())?.language ?? 'en'

/** Replaces the saved views of a member. */
export async function putSavedViews(db: Db, organization: number, userId: string, views: readonly SavedView[]): Promise<void> {
  await db
    .updateTable('membership')
    .set({ saved_views: JSON.stringify(views) })
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .execute()
}

/** Null: none. */
export async function putQuietTime(db: Db, organization: number, userId: string, quiet: QuietTime | null): Promise<void> {
  await db
    .updateTable('membership')
    .set({ quiet_time: quiet && JSON.stringify(quiet) })
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .execute()
}

/** The user's role in the organization of this id; undefined when they do not belong to it. */
export async function findMembership(
  db: Db,
  userId: string,
  organizationId: string,
): Promise<{ tenant: Tenant; role: Role; needsSecondFactor: boolean } | undefined> {
  const row = await db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.number', 'membership.organization')
    .select([
      'membership.role',
      'organization.number',
      'organization.id',
      sql<boolean>`${sql.raw(NEEDS_SECOND_FACTOR)}`.as('needs'),
    ])
    .where('membership.user_id', '=', userId)
    .where('organization.id', '=', organizationId)
    .executeTakeFirst()
  return row && { tenant: { number: row.number, id: row.id }, role: row.role, needsSecondFactor: row.needs }
}

/** The present roles of the users of valid sessions in the given organizations, in any order; without those who need a second factor. */
export async function readSessionRoles(
  db: Db,
  sessions: readonly { sessionId: string; organization: number }[],
  at: Date,
): Promise<{ sessionId: string; organization: number; role: Role }[]> {
  const { rows } = await sql<{ sessionId: string; organization: number; role: Role }>`
    select session.id as "sessionId", membership.organization, membership.role
    from unnest(${sessions.map(({ sessionId }) => sessionId)}::uuid[], ${sessions.map(({ organization }) => organization)}::int4[])
      as caller (session_id, organization)
    join session on session.id = caller.session_id and session.ended_at is null and session.expires_at > ${at}
    join membership on membership.user_id = session.user_id and membership.organization = caller.organization
    join organization on organization.number = membership.organization
    where ${sql.raw(SESSION_HOLDS)} and (session.identity_provider is not null or session.passkey is not null or not ${sql.raw(NEEDS_SECOND_FACTOR)})`.execute(
    db,
  )
  return rows
}

/** The scopes of those of these API keys that are neither revoked nor expired, in any order. */
export function readKeyScopes(
  db: Db,
  organizations: readonly number[],
  keyIds: readonly string[],
  at: Date,
): Promise<{ id: string; scopes: Scope[] }[]> {
  return db
    .selectFrom('api_key')
    .select(['id', 'scopes'])
    .where('organization', '=', sql<number>`any(${organizations}::int4[])`)
    .where('id', '=', sql<string>`any(${keyIds}::uuid[])`)
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', at)]))
    .execute()
}

export type CredentialRow =
  | Omit<ApiKeyPrincipal, 'hash'>
  | { kind: 'server'; serverId: string; tenant: Tenant }
  | { kind: 'enrollment_token'; tokenId: string; tenant: Tenant }

/** The owner of a secret; undefined when it is unknown, revoked or expired. */
export async function findCredential(db: Db, hash: Buffer, at: Date): Promise<CredentialRow | undefined> {
  const row = await db
    .selectFrom('credential')
    .innerJoin('organization', 'organization.number', 'credential.organization')
    .leftJoin('api_key', (on) =>
      on.onRef('api_key.organization', '=', 'credential.organization').onRef('api_key.id', '=', 'credential.subject_id'),
    )
    .select(['credential.kind', 'credential.subject_id', 'organization.number', 'organization.id as organization_id'])
    .leftJoin('enrollment_token as enrollment', (on) =>
      on.onRef('enrollment.organization', '=', 'credential.organization').onRef('enrollment.id', '=', 'credential.subject_id'),
    )
    .select(['api_key.scopes', 'api_key.allowed_cidrs', 'api_key.job_kind', 'api_key.dedup_label', 'api_key.drop_labels'])
    .select((eb) => [
      eb.fn.coalesce('api_key.expires_at', 'enrollment.expires_at').as('expires_at'),
      eb.fn.coalesce('api_key.revoked_at', 'enrollment.revoked_at').as('revoked_at'),
    ])
    .where('credential.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const tenant = { number: row.number, id: row.organization_id }
  if (row.kind === 'server_token') return { kind: 'server', serverId: row.subject_id, tenant }
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= at)
  if (row.kind === 'enrollment_token') return isOver ? undefined : { kind: row.kind, tokenId: row.subject_id, tenant }
  const { scopes, allowed_cidrs: allowedCidrs, drop_labels: dropLabels } = row
  if (isOver || !scopes || !allowedCidrs || !dropLabels) return undefined
  const series = { jobKind: row.job_kind, dedupLabel: row.dedup_label, dropLabels }
  return { kind: 'api_key', keyId: row.subject_id, tenant, scopes, allowedCidrs, series }
}

/** The servers of these tokens, in the same order; undefined for each that is not a valid server token. */
export async function findServersOfTokens(
  { queryNamed }: Pick<Pool, 'queryNamed'>,
  hashes: readonly Buffer[],
): Promise<(Extract<CredentialRow, { kind: 'server' }> | undefined)[]> {
  const rows = await queryNamed<{ ordinal: number; subject_id: string; number: number; id: string }>({
    sql: SERVERS_OF_TOKENS,
    parameters: [binaryArray.bytea(hashes)],
  })
  const found = new Map(
    rows.map(({ ordinal, subject_id, number, id }) => [ordinal, { serverId: subject_id, tenant: { number, id } }]),
  )
  return hashes.map((_, index) => {
    const server = found.get(index + 1)
    return server && { kind: 'server', ...server }
  })
}

const SERVERS_OF_TOKENS = `
select given.ordinal::int4 as ordinal, credential.subject_id, organization.number, organization.id
from unnest($1::bytea[]) with ordinality as given (hash, ordinal)
join credential on credential.hash = given.hash and credential.kind = 'server_token'
join organization on organization.number = credential.organization`

/** The region whose probes have this token; undefined when none has. */
export function findProbe(db: Db, hash: Buffer): Promise<{ number: number; id: string } | undefined> {
  return db.selectFrom('region').select(['number', 'id']).where('token_hash', '=', hash).executeTakeFirst()
}

/**
 * Replaces the token of the server; the previous one is invalid from the commit on. Its hash is kept among the retired tokens, so
 * that an agent that still sends it can be recognized.
 */
export async function replaceServerToken(db: Db, organization: number, serverId: string, hash: Buffer): Promise<void> {
  const dead = await deleteServerToken(db, organization, serverId)
  const retired = dead.map((last) => ({ hash: last, organization, server_id: serverId, notified_at: null }))
  if (retired.length > 0) await db.insertInto('retired_token').values(retired).execute()
  await db.insertInto('credential').values({ hash, kind: 'server_token', organization, subject_id: serverId }).execute()
}

/** Deletes the valid and the retired token of the server; returns the hash of the valid one. */
export async function deleteServerToken(db: Db, organization: number, serverId: string): Promise<Buffer[]> {
  await db.deleteFrom('retired_token').where('organization', '=', organization).where('server_id', '=', serverId).execute()
  const rows = await db
    .deleteFrom('credential')
    .where('organization', '=', organization)
    .where('kind', '=', 'server_token')
    .where('subject_id', '=', serverId)
    .returning('hash')
    .execute()
  return rows.map(({ hash }) => hash)
}

/**
 * Finds the server whose previous token this was, and records the notification in this transaction. Undefined for any other
 * token, and after a notification later than `notifiedBefore`.
 */
export async function takeRetiredToken(
  db: Db,
  hash: Buffer,
  at: Date,
  notifiedBefore: Date,
): Promise<{ organization: number; serverId: string } | undefined> {
  const row = await db
    .updateTable('retired_token')
    .set({ notified_at: at })
    .where('hash', '=', hash)
    .where((is) => is.or([is('notified_at', 'is', null), is('notified_at', '<=', notifiedBefore)]))
    .returning(['organization', 'server_id'])
    .executeTakeFirst()
  return row && { organization: row.organization, serverId: row.server_id }
}
