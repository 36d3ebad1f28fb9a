import type { Db, TableRow } from '../platform/db/index.ts'

export type TotpRow = Pick<TableRow<'user_totp'>, 'secret' | 'enabled_at' | 'last_step'>

export function findTotp(db: Db, userId: string): Promise<TotpRow | undefined> {
  return db.selectFrom('user_totp').select(['secret', 'enabled_at', 'last_step']).where('user_id', '=', userId).executeTakeFirst()
}

/** A set-up that waits to be confirmed, in place of one that never was. */
export async function putPendingTotp(db: Db, userId: string, secret: Buffer, at: Date): Promise<void> {
  const values = { secret, created_at: at, enabled_at: null, last_step: 0 }
  await db
    .insertInto('user_totp')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

export async function enableTotp(db: Db, userId: string, at: Date): Promise<void> {
  await db.updateTable('user_totp').set({ enabled_at: at }).where('user_id', '=', userId).execute()
}

/** Spends a time step and all before it; false when it was spent already. The secret is stored as it was encrypted last. */
export async function spendStep(db: Db, userId: string, step: number, secret: Buffer): Promise<boolean> {
  const row = await db
    .updateTable('user_totp')
    .set({ last_step: step, secret })
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
