import type { ChannelConfig, ChannelFault, ChannelType } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'

export interface ChannelRow {
  id: string
  name: string
  type: ChannelType
  enabled: boolean
  /** What is not secret of it. */
  config: ChannelConfig
  secrets_sealed: Buffer
  created_at: Date
  /** Of the newest try; null where it was taken. */
  last_error: ChannelFault | null
}

const COLUMNS = ['id', 'name', 'type', 'enabled', 'config', 'secrets_sealed', 'created_at', 'last_error'] as const

export async function insertChannel(
  db: Db,
  organization: number,
  { config, last_error: _none, ...columns }: ChannelRow,
): Promise<void> {
  await db
    .insertInto('channel')
    .values({ ...columns, organization, config: JSON.stringify(config) })
    .execute()
}

export async function findChannel(db: Db, organization: number, id: string): Promise<ChannelRow | undefined> {
  const row = await db
    .selectFrom('channel')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
  return row as ChannelRow | undefined
}

/** Locked until the transaction ends. Whoever wants it and rules takes it before them. */
export async function lockChannel(db: Db, organization: number, id: string): Promise<ChannelRow | undefined> {
  const row = await db
    .selectFrom('channel')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row as ChannelRow | undefined
}

/** One page, newest first, and the total. */
export async function listChannels(
  db: Db,
  organization: number,
  page: PageRequest,
): Promise<{ total: number; rows: ChannelRow[] }> {
  const query = db.selectFrom('channel').select(COLUMNS).where('organization', '=', organization)
  const { total, rows } = await readPage(db, query, sql`created_at desc, id desc`, page)
  return { total, rows: rows as ChannelRow[] }
}

export async function updateChannel(db: Db, organization: number, row: ChannelRow): Promise<void> {
  const { id, name, enabled, config, secrets_sealed, last_error: fault } = row
  await db
    .updateTable('channel')
    .set({ name, enabled, config: JSON.stringify(config), secrets_sealed, last_error: fault && JSON.stringify(fault) })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** Notes why a channel did not take what it was sent, and counts how often in a row. */
export async function noteFault(db: Db, organization: number, id: string, fault: Omit<ChannelFault, 'attempts'>): Promise<void> {
  await sql`
    update channel set last_error = ${JSON.stringify(fault)}::jsonb
      || jsonb_build_object('attempts', coalesce((last_error ->> 'attempts')::int, 0) + 1)
    where organization = ${organization} and id = ${id}`.execute(db)
}

/** Notes that a channel took what it was sent. */
export async function clearFault(db: Db, organization: number, id: string): Promise<void> {
  await db
    .updateTable('channel')
    .set({ last_error: null })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('last_error', 'is not', null)
    .execute()
}

/** Removes the channel, and from the rules that told by it. */
export async function deleteChannel(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('channel').where('organization', '=', organization).where('id', '=', id).execute()
  await sql`
    update alert_rule set channel_ids = array_remove(channel_ids, ${id}::uuid)
    where organization = ${organization} and ${id}::uuid = any(channel_ids)`.execute(db)
}

/** Lets the rules that are told nowhere be told by this channel, where it is the only one of the organization. */
export async function giveToRulesWithout(db: Db, organization: number, id: string): Promise<void> {
  await sql`
    update alert_rule set channel_ids = array[${id}::uuid]
    where organization = ${organization} and channel_ids = '{}'
      and not exists (select from channel where organization = ${organization} and id <> ${id})`.execute(db)
}

/** What is sealed of a channel of any organization. */
export interface SealedChannel {
  organization: number
  id: string
  secrets_sealed: Buffer
}

/** Channels of the whole installation in the order of their keys, from behind `after` on. */
export function listSealedChannels(
  db: Db,
  after: Pick<SealedChannel, 'organization' | 'id'> | undefined,
  limit: number,
): Promise<SealedChannel[]> {
  return db
    .selectFrom('channel')
    .select(['organization', 'id', 'secrets_sealed'])
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(organization, id) > (${after?.organization}::int, ${after?.id}::uuid)`),
    )
    .orderBy('organization')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Puts what was sealed anew in its place, where nothing else has taken it meanwhile. */
export async function replaceSealedChannel(db: Db, { organization, id, secrets_sealed }: SealedChannel, anew: Buffer) {
  await db
    .updateTable('channel')
    .set({ secrets_sealed: anew })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('secrets_sealed', '=', secrets_sealed)
    .execute()
}
