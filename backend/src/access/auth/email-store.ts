import type { Db } from '../../platform/db/index.ts'

export interface EmailRow {
  email: string
  email_verified_at: Date | null
  password_hash: string
  /** The e-mail of the newest link that is still valid, or null. */
  pending_email: string | null
}

/** The e-mail of a user, and the one that waits to be confirmed at this instant. */
export function findEmail(db: Db, userId: string, at: Date): Promise<EmailRow | undefined> {
  return db
    .selectFrom('app_user')
    .leftJoin('email_verification', (on) =>
      on.onRef('email_verification.user_id', '=', 'app_user.id').on('email_verification.expires_at', '>', at),
    )
    .select(['app_user.email', 'email_verified_at', 'password_hash', 'email_verification.email as pending_email'])
    .where('app_user.id', '=', userId)
    .executeTakeFirst()
}

/** Stores the link of a user; the previous one is invalid. */
export async function putVerification(
  db: Db,
  { userId, ...row }: { userId: string; email: string; hash: Buffer; expiresAt: Date },
): Promise<void> {
  const values = { email: row.email, hash: row.hash, expires_at: row.expiresAt }
  await db
    .insertInto('email_verification')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

/** Whose valid link this is. */
export function findVerification(db: Db, hash: Buffer, at: Date): Promise<{ user_id: string } | undefined> {
  return db
    .selectFrom('email_verification')
    .select('user_id')
    .where('hash', '=', hash)
    .where('expires_at', '>', at)
    .executeTakeFirst()
}

/** Uses a valid link; undefined when it was used or replaced. */
export async function takeVerification(db: Db, hash: Buffer, at: Date): Promise<string | undefined> {
  const row = await db
    .deleteFrom('email_verification')
    .where('hash', '=', hash)
    .where('expires_at', '>', at)
    .returning('email')
    .executeTakeFirst()
  return row?.email
}

export async function deleteVerification(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('email_verification').where('user_id', '=', userId).execute()
}

/** Skips rows that another process deletes. */
export async function deleteExpiredVerifications(db: Db, at: Date): Promise<void> {
  const expired = db.selectFrom('email_verification').select('user_id').where('expires_at', '<=', at).forUpdate().skipLocked()
  await db.deleteFrom('email_verification').where('user_id', 'in', expired).execute()
}

/** Replaces the e-mail; `verifiedAt` null: nobody has proven to own it. Throws a unique violation where another user has it. */
export async function updateEmail(db: Db, userId: string, email: string, verifiedAt: Date | null): Promise<void> {
  await db.updateTable('app_user').set({ email, email_verified_at: verifiedAt }).where('id', '=', userId).execute()
}

/** The owner of the mailbox has acted; a first verification stays as it is. */
export async function markVerified(db: Db, userId: string, at: Date): Promise<void> {
  await db
    .updateTable('app_user')
    .set({ email_verified_at: at })
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .execute()
}
