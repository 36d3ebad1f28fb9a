import { sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'

export type IdentityRequestRow = TableRow<'identity_request'>

/** Stores a sign-in that begins. Of more than `most` under way at one provider the oldest are given up. */
export async function insertRequest(db: Db, row: IdentityRequestRow, most: number): Promise<void> {
  await db.insertInto('identity_request').values(row).execute()
  await sql`
    delete from identity_request where identity_provider = ${row.identity_provider} and expires_at < (
      select expires_at from identity_request where identity_provider = ${row.identity_provider}
      order by expires_at desc offset ${most - 1} limit 1)`.execute(db)
}

/**
 * Takes the sign-in of a state, which can be done once. Undefined where it is unknown, used, too old, of another provider or of
 * another browser, which does not use it up.
 */
export function takeRequest(
  db: Db,
  { provider, stateHash, browserHash }: { provider: string; stateHash: Buffer; browserHash: Buffer },
  at: Date,
): Promise<Pick<IdentityRequestRow, 'encrypted' | 'return_path'> | undefined> {
  return db
    .deleteFrom('identity_request')
    .where('state_hash', '=', stateHash)
    .where('identity_provider', '=', provider)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', at)
    .returning(['encrypted', 'return_path'])
    .executeTakeFirst()
}

/** Records the id of a logout token; false where it was used before. */
export async function insertLogout(db: Db, row: TableRow<'identity_logout'>): Promise<boolean> {
  const inserted = await db
    .insertInto('identity_logout')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Deletes sign-ins that were not finished, and logout tokens that their age refuses. */
export async function deleteExpiredRequests(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('identity_request').where('expires_at', '<=', at).execute()
  await db.deleteFrom('identity_logout').where('expires_at', '<=', at).execute()
}
