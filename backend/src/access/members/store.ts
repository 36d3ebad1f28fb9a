import type { Role } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'
import type { RankedMember } from './rank.ts'

export interface MemberRow {
  user_id: string
  email: string
  name: string | null
  email_verified_at: Date | null
  role: Role
  joined_at: Date
}

/** Adds a member; false when the user is a member already, who keeps their role. */
export async function insertMembership(db: Db, organization: number, userId: string, role: Role, at: Date): Promise<boolean> {
  const row = await db
    .insertInto('membership')
    .values({ organization, user_id: userId, role, joined_at: at })
    .onConflict((conflict) => conflict.columns(['organization', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

function membersOf(db: Db, organization: number) {
  return db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select([
      'membership.user_id',
      'app_user.email',
      'app_user.name',
      'app_user.email_verified_at',
      'membership.role',
      'membership.joined_at',
    ])
    .where('membership.organization', '=', organization)
}

/** Newest first. */
export function listMembers(db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: MemberRow[] }> {
  return readPage(db, membersOf(db, organization), sql`joined_at desc, user_id desc`, page)
}

export function findMember(db: Db, organization: number, userId: string): Promise<MemberRow | undefined> {
  return membersOf(db, organization).where('membership.user_id', '=', userId).executeTakeFirst()
}

/** Whether the user of this e-mail is a member. */
export async function isMemberEmail(db: Db, organization: number, email: string): Promise<boolean> {
  return (await membersOf(db, organization).where('app_user.email', '=', email).executeTakeFirst()) !== undefined
}

/** The members with these e-mails, in small letters: their user ids by e-mail. */
export async function findMembersByEmail(db: Db, organization: number, emails: readonly string[]): Promise<Map<string, string>> {
  if (emails.length === 0) return new Map()
  const rows = await membersOf(db, organization).where('app_user.email', '=', sql<string>`any(${emails}::text[])`).execute()
  return new Map(rows.map(({ email, user_id: userId }) => [email, userId]))
}

export async function countMembers(db: Db, organization: number): Promise<number> {
  const row = await db
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/**
 * All owners and those of these users who are members, locked until the transaction ends, always in the same order to prevent
 * deadlocks. A user who became an owner while this waited may be missing: the number of owners is never too high.
 */
export async function lockMembers(db: Db, organization: number, userIds: readonly string[]): Promise<RankedMember[]> {
  const rows = await db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('organization', '=', organization)
    .where((eb) => eb.or([eb('role', '=', 'owner'), eb('user_id', '=', sql<string>`any(${userIds}::uuid[])`)]))
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return rows.map(({ user_id, role }) => ({ userId: user_id, role }))
}

export async function updateRole(db: Db, organization: number, userId: string, role: Role): Promise<void> {
  await db
    .updateTable('membership')
    .set({ role })
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMembership(db: Db, organization: number, userId: string): Promise<void> {
  await db.deleteFrom('chat_account').where('organization', '=', organization).where('user_id', '=', userId).execute()
  await db.deleteFrom('membership').where('organization', '=', organization).where('user_id', '=', userId).execute()
}
