import { sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'

export type TotpRow = Pick<TableRow<'user_totp'>, 'secret' | 'enabled_at' | 'last_step' | 'retry_at'>

export function findTotp(db: Db, userId: string): Promise<TotpRow | undefined> {
  return db
    .selectFrom('user_totp')
    .select(['secret', 'enabled_at', 'last_step', 'retry_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** A set-up that waits to be confirmed, in place of one that never was. */
export async function putPendingTotp(db: Db, userId: string, secret: Buffer, at: Date): Promise<void> {
  const values = { secret, created_at: at, enabled_at: null, last_step: 0, failures: 0, retry_at: null }
  await db
    .insertInto('user_totp')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

export async function enableTotp(db: Db, userId: string, at: Date): Promise<void> {
  await db.updateTable('user_totp').set({ enabled_at: at }).where('user_id', '=', userId).execute()
}

const NO_FAILURES = { failures: 0, retry_at: null }

/**
 * Counts a wrong code and returns how many there were since the last right one. From the tenth on the next one has to wait: 30 s,
 * then twice as long each time, up to an hour.
 */
export async function recordFailure(db: Db, userId: string, at: Date): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update user_totp set failures = failures + 1,
      retry_at = case when failures >= 9
        then ${at}::timestamptz + least(interval '1 hour', interval '30 seconds' * power(2, least(failures - 9, 20))) end
    where user_id = ${userId} returning failures`.execute(db)
  return rows[0]?.failures ?? 0
}

/** Spends a time step and all before it; false when it was spent already. The secret is stored as it was encrypted last. */
export async function spendStep(db: Db, userId: string, step: number, secret: Buffer): Promise<boolean> {
  const row = await db
    .updateTable('user_totp')
    .set({ last_step: step, secret, ...NO_FAILURES })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteTotp(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
  await db.deleteFrom('user_totp').where('user_id', '=', userId).execute()
}

export async function replaceRecoveryCodes(db: Db, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute()
}

export async function hasRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('recovery_code')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}

/** False when it was spent already. */
export async function spendRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  if (row) await db.updateTable('user_totp').set(NO_FAILURES).where('user_id', '=', userId).execute()
  return row !== undefined
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_code')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.total
}

export async function hasPasskey(db: Db, userId: string): Promise<boolean> {
  return (await db.selectFrom('passkey').select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()) !== undefined
}

/** Deletes all passkeys of a user. */
export async function deletePasskeys(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passkey').where('user_id', '=', userId).execute()
}

export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('user_totp')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('enabled_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** The name of an organization of the user that demands a second factor. */
export async function findDemand(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.number', 'membership.organization')
    .select('organization.name')
    .where('membership.user_id', '=', userId)
    .where('organization.require_second_factor', '=', true)
    .orderBy('membership.joined_at')
    .limit(1)
    .executeTakeFirst()
  return row?.name
}
