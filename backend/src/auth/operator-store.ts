import type { Db } from '../platform/db/index.ts'
import { deleteReset } from './reset-store.ts'

/** Sets a password, ends all sessions of the user and invalidates the link of a reset. Run inside a transaction. */
export async function replacePassword(db: Db, userId: string, passwordHash: string, at: Date): Promise<void> {
  const change = { password_hash: passwordHash, password_changed_at: at }
  await db.updateTable('app_user').set(change).where('id', '=', userId).execute()
  await db.updateTable('session').set({ ended_at: at }).where('user_id', '=', userId).where('ended_at', 'is', null).execute()
  await deleteReset(db, userId)
}
