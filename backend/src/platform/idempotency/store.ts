import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

/** A key of one credential. */
export interface KeyName {
  credential: string
  key: string
}

/** The stored answer of a finished request. */
export interface StoredAnswer {
  /** Digest of the request. */
  request: Buffer
  status: number
  /** Public id of the created resource. */
  madeId: string
  location: string | undefined
  /** The response body, encrypted; undefined where it contained a secret. */
  body: string | undefined
}

/**
 * Locks the key until the transaction ends; false when another transaction holds it. A killed process leaves no lock behind.
 */
export async function lockKey(db: Db, lock: bigint): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`select pg_try_advisory_xact_lock(${lock.toString()}::int8) as is_free`.execute(
    db,
  )
  return rows[0]?.is_free === true
}

export async function findAnswer(db: Db, { credential, key }: KeyName, after: Date): Promise<StoredAnswer | undefined> {
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

/** Stores the answer in the transaction of the work. False when another transaction stored one first. */
export async function insertAnswer(db: Db, name: KeyName, answer: StoredAnswer, at: Date, after: Date): Promise<boolean> {
  const { madeId, location = null, body = null, ...rest } = answer
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

/** Deletes the answers until this instant. Skips rows that another process deletes or a request replaces. */
export async function deleteAnswers(db: Db, until: Date): Promise<void> {
  await sql`
    delete from idempotency_key where (credential, key) in (
      select credential, key from idempotency_key where created_at <= ${until} for update skip locked
    )`.execute(db)
}
