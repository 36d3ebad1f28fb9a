import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

const enabledChannels = (db: Db, organization: number) =>
  db.selectFrom('channel').select('channel.id').where('organization', '=', organization).where('enabled', '=', true)

/** A webhook with a list of event types receives only those. */
const accepts = (type: string) => sql<boolean>`coalesce(channel.config -> 'events' ? ${type}, true)`

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

/** The enabled ones of these channels that receive this type. */
export async function filterRecipients(db: Db, organization: number, ids: readonly string[], type: string): Promise<string[]> {
  if (ids.length === 0) return []
  return idsOf(await enabledChannels(db, organization).where('id', 'in', ids).where(accepts(type)).execute())
}

/** Enabled webhooks that list this type. */
export async function findSubscribers(db: Db, organization: number, type: string): Promise<string[]> {
  const lists = sql<boolean>`config -> 'events' ? ${type}`
  return idsOf(await enabledChannels(db, organization).where(lists).execute())
}

/** All enabled channels of an organization, except webhooks that list other types only. */
export async function findOperatorChannels(db: Db, organization: number, type: string): Promise<string[]> {
  return idsOf(await enabledChannels(db, organization).where(accepts(type)).execute())
}
