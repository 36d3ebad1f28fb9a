import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** A webhook with a list of event types receives only those. */
const ACCEPTS = (type: string) => sql<boolean>`coalesce(channel.config -> 'events' ? ${type}, true)`

/** The enabled ones of these channels that receive this type. */
export async function filterRecipients(db: Db, organization: number, ids: readonly string[], type: string): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('channel')
    .select('channel.id')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('enabled', '=', true)
    .where(ACCEPTS(type))
    .execute()
  return rows.map(({ id }) => id)
}

/** Enabled webhooks that list this type. */
export async function findSubscribers(db: Db, organization: number, type: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channel')
    .select('id')
    .where('organization', '=', organization)
    .where('enabled', '=', true)
    .where(sql<boolean>`config -> 'events' ? ${type}`)
    .execute()
  return rows.map(({ id }) => id)
}

/** All enabled channels of an organization, except webhooks that list other types only. */
export async function findOperatorChannels(db: Db, organization: number, type: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channel')
    .select('channel.id')
    .where('organization', '=', organization)
    .where('enabled', '=', true)
    .where(ACCEPTS(type))
    .execute()
  return rows.map(({ id }) => id)
}
