import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** A key as one credential knows it. */
export interface KeyName {
  credential: string
  key: string
}

/** What is kept of a request that was done. */
export interface Kept {
  /** Digest of the request. */
  request: Buffer
  status: number
  /** What it made, as clients know it. */
  madeId: string
  location: string | undefined
  /** The answer as it was sent, sealed; undefined where it held a secret. */
  body: string | undefined
}

/**
 * Whether nobody else works under this key; until the transaction ends nobody else will. Ends with the transaction however
 * that ends: a killed process leaves nothing behind.
 */
export async function lockKey(db: Db, lock: bigint): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`select pg_try_advisory_xact_lock(${lock.toString()}::int8) as is_free`.execute(
    db,
  )
  return rows[0]?.is_free === true
}

export async function findKept(db: Db, { credential, key }: KeyName, after: Date): Promise<Kept | undefined> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['request', 'status', 'made_id', 'location', 'body'])
    .where('credential', '=', credential)
    .where('key', '=', key)
    .where('created_at', '>', after)
    .executeTakeFirst()
  return (
    row && {
      request: row.request,
      status: row.status,
      madeId: row.made_id,
      location: row.location ?? undefined,
      body: row.body ?? undefined,
    }
  )
}

/** Keeps what was done under this key in the transaction that does it. False when another transaction was first after all. */
export async function insertKept(db: Db, name: KeyName, kept: Kept, at: Date, after: Date): Promise<boolean> {
  const { madeId, location = null, body = null, ...rest } = kept
  const row = { ...rest, made_id: madeId, location, body, created_at: at }
  const inserted = await db
    .insertInto('idempotency_key')
    .values({ ...name, ...row })
    .onConflict((conflict) =>
      conflict.columns(['credential', 'key']).doUpdateSet(row).where('idempotency_key.created_at', '<=', after),
    )
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Passes by what another process removes or a request begins anew. */
export async function removeKept(db: Db, until: Date): Promise<void> {
  await sql`
    delete from idempotency_key where (credential, key) in (
      select credential, key from idempotency_key where created_at <= ${until} for update skip locked
    )`.execute(db)
}
