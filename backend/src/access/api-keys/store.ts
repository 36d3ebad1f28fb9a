import type { PatchApiKeyBody, Scope } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'
import type { Language } from '../../platform/language/index.ts'

const COLUMNS = [
  'id',
  'name',
  'prefix',
  'scopes',
  'allowed_cidrs',
  'ends_with_creator',
  'job_kind',
  'dedup_label',
  'drop_labels',
  'created_by',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const

export type ApiKeyRow = Pick<TableRow<'api_key'>, (typeof COLUMNS)[number]>

export interface NewKey {
  id: string
  hash: Buffer
  name: string
  prefix: string
  scopes: Scope[]
  allowedCidrs: string[]
  endsWithCreator: boolean
  createdBy: string | null
  expiresAt: Date | null
  series: SeriesOfKey
}

/** What happens to series that come with a key. */
export type SeriesOfKey = Required<PatchApiKeyBody>

/** Stores a key and its credential. */
export async function insertApiKey(db: Db, organization: number, key: NewKey, at: Date): Promise<ApiKeyRow> {
  const { id, hash, name, prefix, scopes, allowedCidrs, endsWithCreator, createdBy, expiresAt, series } = key
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
      allowed_cidrs: allowedCidrs,
      ends_with_creator: endsWithCreator,
      ...series,
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
export function listApiKeys(db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: ApiKeyRow[] }> {
  const query = db.selectFrom('api_key').select(COLUMNS).where('organization', '=', organization)
  return readPage(db, query, sql`created_at desc, id desc`, page)
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

const keyOf = (db: Db, organization: number, id: string) =>
  db.selectFrom('api_key').select(COLUMNS).where('organization', '=', organization).where('id', '=', id)

export const findApiKey = (db: Db, organization: number, id: string): Promise<ApiKeyRow | undefined> =>
  keyOf(db, organization, id).executeTakeFirst()

/** Locked until the transaction ends. */
export const lockApiKey = (db: Db, organization: number, id: string): Promise<ApiKeyRow | undefined> =>
  keyOf(db, organization, id).forUpdate().executeTakeFirst()

export async function updateSeriesOfKey(db: Db, organization: number, id: string, series: Partial<SeriesOfKey>): Promise<void> {
  // Another label has other values: who led says nothing of them.
  const leader = series.dedup_label === undefined ? {} : { leading_replica: null, leader_seen_at: null }
  await db
    .updateTable('api_key')
    .set({ ...series, ...leader })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/**
 * The replica whose series count, and when it came last, ms. It is the given one where that leads already, where none does, or where the
 * leading one has been silent for that long; then the instant is stored. Undefined where there is no such key.
 */
export async function leadOrFindLeader(
  db: Db,
  {
    organization,
    id,
    replica,
    nowMs,
    silentMs,
  }: { organization: number; id: string; replica: string; nowMs: number; silentMs: number },
): Promise<{ replica: string; seenAtMs: number } | undefined> {
  const { rows } = await sql<{ replica: string; seenAtMs: number }>`
    with led as (
      update api_key set leading_replica = ${replica}, leader_seen_at = greatest(${nowMs}::int8, leader_seen_at)
      where organization = ${organization} and id = ${id}
        and (leading_replica is null or leading_replica = ${replica} or leader_seen_at <= ${nowMs - silentMs}::int8)
      returning leading_replica, leader_seen_at
    )
    select leading_replica as replica, leader_seen_at as "seenAtMs" from led
    union all
    select leading_replica, leader_seen_at from api_key
    where organization = ${organization} and id = ${id} and leading_replica is not null and not exists (select from led)`.execute(
    db,
  )
  return rows[0]
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

/** Days within which the organization's new keys must expire; null where they need not. */
export async function readMaxDays(db: Db, organization: number): Promise<number | null> {
  const row = await db.selectFrom('organization').select('api_key_max_days').where('number', '=', organization).executeTakeFirst()
  return row?.api_key_max_days ?? null
}

/** Ids of the valid keys of a user that end with their membership. */
export async function keysThatEndWith(db: Db, organization: number, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('api_key')
    .select('id')
    .where('organization', '=', organization)
    .where('created_by', '=', userId)
    .where('ends_with_creator', '=', true)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export interface EndingKey {
  organization: number
  organization_name: string
  language: Language
  name: string
  prefix: string
  created_by: string | null
  expires_at: Date
}

/**
 * Valid keys that expire within so many days and were not reminded of that yet; they count as reminded with the commit. Skips those
 * that another instance reminds of.
 */
export async function takeEndingKeys(db: Db, days: number, at: Date, limit: number): Promise<EndingKey[]> {
  const { rows } = await sql<EndingKey>`
    with ending as materialized (
      select organization, id from api_key
      where revoked_at is null and expires_at > ${at} and expires_at <= ${at}::timestamptz + ${`${days} days`}::interval
        and (reminded_days is null or reminded_days > ${days})
      order by expires_at limit ${limit} for update skip locked
    )
    update api_key set reminded_days = ${days} from ending, organization
    where api_key.organization = ending.organization and api_key.id = ending.id and organization.number = ending.organization
    returning api_key.organization, organization.name as organization_name, organization.language, api_key.name, api_key.prefix, api_key.created_by,
      api_key.expires_at`.execute(db)
  return rows
}

/** E-mails of the maker, where they are a member still, or else of the owners. */
export async function findRecipients(
  db: Db,
  organization: number,
  createdBy: string | null,
): Promise<{ id: string; email: string }[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.id', 'app_user.email', 'membership.role'])
    .where('membership.organization', '=', organization)
    .where((is) => is.or([is('membership.role', '=', 'owner'), is('app_user.id', '=', createdBy)]))
    .execute()
  const maker = rows.filter(({ id }) => id === createdBy)
  return maker.length > 0 ? maker : rows
}
