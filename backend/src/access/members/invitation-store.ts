import type { Role } from '@vedette/shared'
import { sql } from 'kysely'
import { deleteMailsAbout } from '../../notifying/mail/index.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'
import type { Language } from '../../platform/language/index.ts'
import { personName } from '../auth/index.ts'

export interface NewInvitationRow extends InvitationRow {
  tokenHash: Buffer
  mailed: boolean
  invitedBy: string | null
}

const COLUMNS = ['id', 'email', 'role', 'invited_at', 'expires_at'] as const

export type InvitationRow = Pick<TableRow<'invitation'>, (typeof COLUMNS)[number]>

/**
 * Stores the invitation, or renews that of the same e-mail, which keeps its id; the previous link is invalid from the commit on.
 * Returns the id; undefined, and changes nothing, where that of the same e-mail is to a role that is none of these.
 */
export async function upsertInvitation(
  db: Db,
  organization: number,
  invitation: NewInvitationRow,
  renewable: readonly Role[],
): Promise<string | undefined> {
  const { id, email, tokenHash, invitedBy, ...terms } = invitation
  const renewed = { ...terms, token_hash: tokenHash, invited_by: invitedBy }
  const row = await db
    .insertInto('invitation')
    .values({ organization, id, email, ...renewed })
    .onConflict((conflict) =>
      conflict
        .columns(['organization', 'email'])
        .doUpdateSet(renewed)
        .where('invitation.role', '=', sql<Role>`any(${renewable}::text[])`),
    )
    .returning('id')
    .executeTakeFirst()
  if (!row) return undefined
  await deleteTokens(db, organization, [row.id])
  await db.insertInto('invitation_token').values({ hash: tokenHash, organization, invitation_id: row.id }).execute()
  return row.id
}

/** A mail with an invalid token is not sent. */
async function deleteTokens(db: Db, organization: number, invitationIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom('invitation_token')
    .where('organization', '=', organization)
    .where('invitation_id', '=', sql<string>`any(${invitationIds}::uuid[])`)
    .execute()
  await deleteMailsAbout(db, organization, invitationIds)
}

/** Invitations that can still be accepted, newest first. */
export function listPending(
  db: Db,
  organization: number,
  at: Date,
  page: PageRequest,
): Promise<{ total: number; rows: InvitationRow[] }> {
  const pending = db
    .selectFrom('invitation')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('expires_at', '>', at)
  return readPage(db, pending, sql`invited_at desc, id desc`, page)
}

/** Locks a pending invitation until the transaction ends; undefined when there is none with this id. */
export function lockPending(db: Db, organization: number, id: string, at: Date): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('invitation')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('expires_at', '>', at)
    .forUpdate()
    .executeTakeFirst()
}

/** Deletes an invitation with its link. */
export async function deleteInvitation(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('invitation').where('organization', '=', organization).where('id', '=', id).execute()
  await deleteTokens(db, organization, [id])
}

/** Deletes expired invitations of the organization. */
export async function deleteExpired(db: Db, organization: number, at: Date): Promise<void> {
  const rows = await db
    .deleteFrom('invitation')
    .where('organization', '=', organization)
    .where('expires_at', '<=', at)
    .returning('id')
    .execute()
  if (rows.length > 0) await deleteTokens(db, organization, idsOf(rows))
}

/**
 * Deletes expired invitations of all organizations and skips locked rows. Run inside a transaction.
 */
export async function deleteAllExpired(db: Db, at: Date): Promise<void> {
  const { rows } = await sql<{ organization: number; id: string }>`
    delete from invitation where (organization, id) in (
      select organization, id from invitation where expires_at <= ${at} for update skip locked
    ) returning organization, id`.execute(db)
  if (rows.length === 0) return
  await sql`
    delete from invitation_token where (organization, invitation_id) in (
      select * from unnest(${rows.map((row) => row.organization)}::int4[], ${idsOf(rows)}::uuid[])
    )`.execute(db)
}

/** Deletes invitations by this user to roles other than these; returns their ids. */
export async function deleteInvitedBy(
  db: Db,
  organization: number,
  userId: string,
  allowedRoles: readonly Role[],
): Promise<string[]> {
  const rows = await db
    .deleteFrom('invitation')
    .where('organization', '=', organization)
    .where('invited_by', '=', userId)
    .where('role', '<>', sql<Role>`all(${allowedRoles}::text[])`)
    .returning('id')
    .execute()
  if (rows.length > 0) await deleteTokens(db, organization, idsOf(rows))
  return idsOf(rows)
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

export interface Offer {
  organization: number
  id: string
  email: string
  role: Role
  /** Whether only the mail contained the token. */
  mailed: boolean
}

export interface OfferedTerms {
  organization: string
  email: string
  role: Role
  expires_at: Date
  inviter_email: string | null
  inviter_name: string | null
}

/** What a valid token leads to, in words. */
export function findTerms(db: Db, tokenHash: Buffer, at: Date): Promise<OfferedTerms | undefined> {
  return db
    .selectFrom('invitation_token as token')
    .innerJoin('invitation', (on) =>
      on.onRef('invitation.organization', '=', 'token.organization').onRef('invitation.id', '=', 'token.invitation_id'),
    )
    .innerJoin('organization', 'organization.number', 'invitation.organization')
    .leftJoin('app_user as inviter', 'inviter.id', 'invitation.invited_by')
    .select(['organization.name as organization', 'invitation.email', 'invitation.role', 'invitation.expires_at'])
    .select(['inviter.email as inviter_email', 'inviter.name as inviter_name'])
    .where('token.hash', '=', tokenHash)
    .where('invitation.expires_at', '>', at)
    .executeTakeFirst()
}

/** The invitation of a valid token. */
export function findOffer(db: Db, tokenHash: Buffer, at: Date): Promise<Offer | undefined> {
  return db
    .selectFrom('invitation_token as token')
    .innerJoin('invitation', (on) =>
      on.onRef('invitation.organization', '=', 'token.organization').onRef('invitation.id', '=', 'token.invitation_id'),
    )
    .select(['invitation.organization', 'invitation.id', 'invitation.email', 'invitation.role', 'invitation.mailed'])
    .where('token.hash', '=', tokenHash)
    .where('invitation.expires_at', '>', at)
    .executeTakeFirst()
}

/**
 * Deletes the accepted invitation and returns its role; undefined when it was used, renewed, revoked or expired meanwhile. It locks
 * the invitation before the token, like every other statement, to prevent deadlocks.
 */
export async function takeOffer(db: Db, offer: Offer, tokenHash: Buffer, at: Date): Promise<Role | undefined> {
  const row = await db
    .deleteFrom('invitation')
    .where('organization', '=', offer.organization)
    .where('id', '=', offer.id)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', at)
    .returning('role')
    .executeTakeFirst()
  if (row) await deleteTokens(db, offer.organization, [offer.id])
  return row?.role
}

/** For the mail: the name of the organization its language, and the inviting user. */
export async function findLetterhead(
  db: Db,
  organization: number,
  inviter: string | null,
): Promise<{ organization: string; language: Language; inviter: string | null }> {
  const row = await db
    .selectFrom('organization')
    .select((eb) => [
      'organization.name as organization',
      'organization.language',
      eb.selectFrom('app_user').select(personName('app_user').as('name')).where('id', '=', inviter).as('inviter'),
    ])
    .where('number', '=', organization)
    .executeTakeFirstOrThrow()
  return row
}
