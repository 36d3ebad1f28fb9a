import { type Db, materialized } from '../../platform/db/index.ts'

/** Keeps the wish for a link until it is sent; one that is under way already stays as it is. */
export async function putResetRequest(db: Db, email: string, at: Date): Promise<void> {
  await db
    .insertInto('password_reset_request')
    .values({ email, requested_at: at, next_try_at: at })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
}

export interface ResetRequest {
  email: string
  requested_at: Date
}

/** Takes requests that are due, oldest first, until `leaseEnd`: no other instance works on them, and after it they are due again. */
export function leaseResetRequests(db: Db, at: Date, leaseEnd: Date, limit: number): Promise<ResetRequest[]> {
  const due = db
    .selectFrom('password_reset_request')
    .select('email')
    .where('next_try_at', '<=', at)
    .orderBy('next_try_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .with(materialized('due'), () => due)
    .updateTable('password_reset_request')
    .set({ next_try_at: leaseEnd })
    .where('email', 'in', (from) => from.selectFrom('due').select('email'))
    .returning(['email', 'requested_at'])
    .execute()
}

export async function deleteResetRequest(db: Db, email: string): Promise<void> {
  await db.deleteFrom('password_reset_request').where('email', '=', email).execute()
}

export interface NewReset {
  userId: string
  hash: Buffer
  createdAt: Date
  expiresAt: Date
}

/** The link that was given before is dead with this one. */
export async function putReset(db: Db, { userId, hash, createdAt, expiresAt }: NewReset): Promise<void> {
  const values = { hash, created_at: createdAt, expires_at: expiresAt }
  await db
    .insertInto('password_reset')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

/** When the user's newest link was made. */
export async function findResetCreation(db: Db, userId: string): Promise<Date | undefined> {
  const row = await db.selectFrom('password_reset').select('created_at').where('user_id', '=', userId).executeTakeFirst()
  return row?.created_at
}

/** Whose living link this is. */
export function findReset(db: Db, hash: Buffer, at: Date): Promise<{ id: string; email: string } | undefined> {
  return db
    .selectFrom('password_reset')
    .innerJoin('app_user', 'app_user.id', 'password_reset.user_id')
    .select(['app_user.id', 'app_user.email'])
    .where('password_reset.hash', '=', hash)
    .where('password_reset.expires_at', '>', at)
    .executeTakeFirst()
}

/** Spends a living link; false when it was spent already. */
export async function takeReset(db: Db, hash: Buffer, at: Date): Promise<boolean> {
  const row = await db
    .deleteFrom('password_reset')
    .where('hash', '=', hash)
    .where('expires_at', '>', at)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteReset(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('password_reset').where('user_id', '=', userId).execute()
}

/** Passes by what another process deletes. */
export async function deleteExpiredResets(db: Db, at: Date): Promise<void> {
  const expired = db.selectFrom('password_reset').select('user_id').where('expires_at', '<=', at).forUpdate().skipLocked()
  await db.deleteFrom('password_reset').where('user_id', 'in', expired).execute()
}
