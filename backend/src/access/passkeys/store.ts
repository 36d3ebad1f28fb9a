import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

export type PasskeyRow = TableRow<'passkey'>

/** One page of a user's passkeys, newest first, and the total. */
export function listPasskeys(db: Db, userId: string, page: PageRequest): Promise<{ total: number; rows: PasskeyRow[] }> {
  const query = db.selectFrom('passkey').selectAll().where('user_id', '=', userId)
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

export function listCredentials(db: Db, userId: string): Promise<Pick<PasskeyRow, 'credential_id' | 'transports'>[]> {
  return db.selectFrom('passkey').select(['credential_id', 'transports']).where('user_id', '=', userId).execute()
}

/** By the credential of a sign-in, of any user. */
export function findByCredential(db: Db, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

/** False where the credential is stored already. */
export async function insertPasskey(db: Db, row: Omit<PasskeyRow, 'last_used_at'>): Promise<boolean> {
  const inserted = await db
    .insertInto('passkey')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The session has the passkey from now on, as if it had opened it. */
export async function markSession(db: Db, sessionId: string, passkey: string): Promise<void> {
  await db.updateTable('session').set({ passkey }).where('id', '=', sessionId).where('passkey', 'is', null).execute()
}

/** Without a name it stays as it is. */
export function renamePasskey(db: Db, userId: string, id: string, name: string | undefined): Promise<PasskeyRow | undefined> {
  return db
    .updateTable('passkey')
    .set(({ ref }) => ({ name: name ?? ref('name') }))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
}

/** The name of the passkey that was removed; undefined where the user has none of this id. */
export async function deletePasskey(db: Db, userId: string, id: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/**
 * Records a use. False where the passkey was removed in between, or another request has used this or a later value of its counter; 0
 * on both sides: the authenticator does not count.
 */
export async function recordUse(db: Db, id: string, use: { counter: number; synced: boolean; at: Date }): Promise<boolean> {
  const { counter, synced, at } = use
  const row = await db
    .updateTable('passkey')
    .set({ counter, synced, last_used_at: at })
    .where('id', '=', id)
    .where((is) => is.or([is('counter', '<', counter), is.and([is('counter', '=', 0), is(sql`${counter}::bigint`, '=', 0)])]))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** False where the challenge was used before. */
export async function useChallenge(db: Db, challengeHash: Buffer, expiresAt: Date): Promise<boolean> {
  const row = await db
    .insertInto('used_passkey_challenge')
    .values({ challenge_hash: challengeHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('challenge_hash')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes used challenges that their age refuses. */
export async function deleteUsedChallenges(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('used_passkey_challenge').where('expires_at', '<=', new Date(nowMs)).execute()
}
