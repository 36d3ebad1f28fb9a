import type { Scope } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

export interface ApiKeyRow {
  id: string
  name: string
  prefix: string
  scopes: Scope[]
  created_by: string | null
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

const COLUMNS = [
  'id',
  'name',
  'prefix',
  'scopes',
  'created_by',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const

export interface NewKey {
  id: string
  hash: Buffer
  name: string
  prefix: string
  scopes: Scope[]
  createdBy: string | null
  expiresAt: Date | null
}

/** Stores a key and its credential. */
export async function insertApiKey(db: Db, organization: number, key: NewKey, at: Date): Promise<ApiKeyRow> {
  const { id, hash, name, prefix, scopes, createdBy, expiresAt } = key
  await db.insertInto('credential').values({ hash, kind: 'api_key', organization, subject_id: id }).execute()
  return db
    .insertInto('api_key')
    .values({
      organization,
      id,
      hash,
      name,
      prefix,
      scopes,
      created_by: createdBy,
      created_at: at,
      last_used_at: null,
      expires_at: expiresAt,
      revoked_at: null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** One page, newest first, and the total at the same instant. */
export async function listApiKeys(
  db: Db,
  organization: number,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ApiKeyRow[] }> {
  const own = db.selectFrom('api_key').where('organization', '=', organization)
  const rows = await db
    .selectFrom(own.select((eb) => eb.fn.countAll<string>().as('total')).as('counted'))
    .leftJoinLateral(
      own.select(COLUMNS).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(page.offset).as('item'),
      (on) => on.onTrue(),
    )
    .selectAll('item')
    .select('counted.total')
    .orderBy('item.created_at', 'desc')
    .orderBy('item.id', 'desc')
    .execute()
  return { total: Number(rows[0]?.total ?? 0), rows: rows.filter((row) => row.id !== null) as unknown as ApiKeyRow[] }
}

/** When an API key of the organization was created. */
export async function findApiKeyCreation(db: Db, organization: number, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select('created_at')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.created_at
}

export function lockApiKey(
  db: Db,
  organization: number,
  id: string,
): Promise<Pick<ApiKeyRow, 'name' | 'revoked_at'> | undefined> {
  return db
    .selectFrom('api_key')
    .select(['name', 'revoked_at'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function markRevoked(db: Db, organization: number, id: string, at: Date): Promise<void> {
  await db.updateTable('api_key').set({ revoked_at: at }).where('organization', '=', organization).where('id', '=', id).execute()
}

export interface KeyUse {
  organization: number
  keyId: string
  usedAtMs: number
}

/**
 * Stores when keys were last used, in one statement, where it is at least `stepMs` later than the stored instant. Skips rows that
 * another instance is changing: it stores a use of the same minute, or revokes the key.
 */
export async function storeUses(db: Db, uses: readonly KeyUse[], stepMs: number): Promise<void> {
  const column = <T>(pick: (use: KeyUse) => T) => uses.map(pick)
  await sql`
    with used as materialized (
      select api_key.organization, api_key.id, given.used_at
      from unnest(
        ${column((use) => use.organization)}::int[],
        ${column((use) => use.keyId)}::uuid[],
        ${column((use) => new Date(use.usedAtMs))}::timestamptz[]
      ) as given (organization, id, used_at)
      join api_key on api_key.organization = given.organization and api_key.id = given.id
      where api_key.last_used_at is null or api_key.last_used_at <= given.used_at - ${`${stepMs} milliseconds`}::interval
      for update of api_key skip locked
    )
    update api_key set last_used_at = used.used_at from used
    where api_key.organization = used.organization and api_key.id = used.id`.execute(db)
}
