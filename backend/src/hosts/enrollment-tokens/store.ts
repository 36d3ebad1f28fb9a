import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = ['id', 'prefix', 'uses', 'uses_left', 'tags', 'created_by', 'created_at', 'expires_at', 'revoked_at'] as const

export type EnrollmentTokenRow = Pick<TableRow<'enrollment_token'>, (typeof COLUMNS)[number]>

export interface NewToken {
  id: string
  hash: Buffer
  prefix: string
  uses: number
  tags: string[]
  createdBy: string | null
  createdAt: Date
  expiresAt: Date
}

/** Stores a token and its credential. */
export async function insertToken(db: Db, organization: number, token: NewToken): Promise<EnrollmentTokenRow> {
  const { id, hash, prefix, uses, tags, createdBy: created_by, createdAt: created_at, expiresAt: expires_at } = token
  await db.insertInto('credential').values({ hash, kind: 'enrollment_token', organization, subject_id: id }).execute()
  return db
    .insertInto('enrollment_token')
    .values({ organization, id, prefix, uses, uses_left: uses, tags, created_by, created_at, expires_at, revoked_at: null })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** Tokens that can still be used. */
export async function countOpen(db: Db, organization: number, at: Date): Promise<number> {
  const row = await db
    .selectFrom('enrollment_token')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('organization', '=', organization)
    .where('uses_left', '>', 0)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/** One page, newest first, and the total at the same instant. */
export function listTokens(
  db: Db,
  organization: number,
  page: PageRequest,
): Promise<{ total: number; rows: EnrollmentTokenRow[] }> {
  const query = db.selectFrom('enrollment_token').select(COLUMNS).where('organization', '=', organization)
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

/**
 * Takes one use of a token, in the transaction of the registration: one that fails gives it back. Undefined where no use is left, or
 * the token is revoked or expired.
 */
export function consumeEnrollmentToken(
  db: Db,
  organization: number,
  id: string,
  at: Date,
): Promise<Pick<EnrollmentTokenRow, 'tags' | 'created_at'> | undefined> {
  return db
    .updateTable('enrollment_token')
    .set((eb) => ({ uses_left: eb('uses_left', '-', 1) }))
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('uses_left', '>', 0)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(['tags', 'created_at'])
    .executeTakeFirst()
}

/** False when there is no such token; a repeat keeps the first instant. */
export async function revokeToken(
  db: Db,
  organization: number,
  id: string,
  at: Date,
): Promise<'revoked' | 'unchanged' | undefined> {
  const token = await db
    .selectFrom('enrollment_token')
    .select('revoked_at')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!token) return undefined
  if (token.revoked_at) return 'unchanged'
  await db
    .updateTable('enrollment_token')
    .set({ revoked_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
  return 'revoked'
}

/** Deletes tokens that expired before, with their credentials. Skips rows that another process deletes. Run in a transaction. */
export async function deleteExpiredBefore(db: Db, before: Date): Promise<void> {
  const { rows } = await sql<{ organization: number; id: string }>`
    delete from enrollment_token where (organization, id) in (
      select organization, id from enrollment_token where expires_at < ${before} for update skip locked
    ) returning organization, id`.execute(db)
  if (rows.length === 0) return
  await sql`
    delete from credential where (organization, subject_id) in (
      select * from unnest(${rows.map((row) => row.organization)}::int4[], ${rows.map((row) => row.id)}::uuid[])
    )`.execute(db)
}
