import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { StoredRefresh } from './refresh-token.ts'
import { SESSION_HOLDS } from './session-holds.ts'

export async function insertRefresh(db: Db, sessionId: string, familyHash: Buffer, hash: Buffer): Promise<void> {
  await db.insertInto('session_refresh').values({ session_id: sessionId, family_hash: familyHash, hash }).execute()
}

export interface LockedRefresh extends StoredRefresh {
  session_id: string
  user_id: string
  expires_at: Date
  identity_provider: string | null
}

/**
 * What is stored of a family, locked until the transaction ends, so that refreshes of one session are sequential. Undefined when
 * there is none or its session has ended. The session is locked first, as where it is deleted.
 */
export function lockRefresh(db: Db, familyHash: Buffer, at: Date): Promise<LockedRefresh | undefined> {
  return db
    .selectFrom('session_refresh')
    .innerJoin('session', 'session.id', 'session_refresh.session_id')
    .select(['session_id', 'user_id', 'expires_at', 'identity_provider', 'hash', 'previous_hash', 'salt', 'refreshed_at'])
    .where('family_hash', '=', familyHash)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .where(sql<boolean>`${sql.raw(SESSION_HOLDS)}`)
    .forUpdate(['session', 'session_refresh'])
    .executeTakeFirst()
}

/** The user of a family, also of one whose session has ended. */
export async function findUserOfFamily(db: Db, familyHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('session_refresh')
    .innerJoin('session', 'session.id', 'session_refresh.session_id')
    .select('user_id')
    .where('family_hash', '=', familyHash)
    .executeTakeFirst()
  return row?.user_id
}

export interface Rotation {
  hash: Buffer
  previousHash: Buffer
  salt: Buffer
  at: Date
}

export async function rotateRefresh(db: Db, sessionId: string, { hash, previousHash, salt, at }: Rotation): Promise<void> {
  const change = { hash, previous_hash: previousHash, salt, refreshed_at: at }
  await db.updateTable('session_refresh').set(change).where('session_id', '=', sessionId).execute()
}

/** Keeps a session in use for a wall until then; after the end that it had before, it may only read. */
export async function keepForWall(db: Db, sessionId: string, until: Date): Promise<void> {
  await db
    .updateTable('session')
    .set({ full_until: sql`coalesce(full_until, expires_at)`, expires_at: until })
    .where('id', '=', sessionId)
    .execute()
}
