import type { Db } from '../../platform/db/index.ts'

/** The user whom a provider means by a subject. */
export async function findUserOfSubject(db: Db, provider: string, subject: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_identity')
    .select('user_id')
    .where('identity_provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** Links a user to a subject; false where either is linked already. */
export async function insertIdentity(db: Db, provider: string, subject: string, userId: string, at: Date): Promise<boolean> {
  const row = await db
    .insertInto('user_identity')
    .values({ identity_provider: provider, subject, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}
