import { sql } from 'kysely'
import { IS_REFUSED } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { ChannelRow } from './store.ts'

const enabledChannels = (db: Db, organization: number) =>
  db
    .selectFrom('channel')
    .select('channel.id')
    .where('organization', '=', organization)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)

/** A webhook with a list of event types receives only those. */
const accepts = (type: string) => sql<boolean>`coalesce(channel.config -> 'events' ? ${type}, true)`

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

/** The enabled ones of these channels and contact methods that receive this type. */
export async function filterRecipients(db: Db, organization: number, ids: readonly string[], type: string): Promise<string[]> {
  if (ids.length === 0) return []
  return idsOf(await enabledChannels(db, organization).where('id', 'in', ids).where(accepts(type)).execute())
}

/** Enabled webhooks that list this type. */
export async function findSubscribers(db: Db, organization: number, type: string): Promise<string[]> {
  const lists = sql<boolean>`config -> 'events' ? ${type}`
  return idsOf(await enabledChannels(db, organization).where('user_id', 'is', null).where(lists).execute())
}

/** All enabled channels of an organization, except webhooks that list other types only. */
export async function findOperatorChannels(db: Db, organization: number, type: string): Promise<string[]> {
  return idsOf(await enabledChannels(db, organization).where('user_id', 'is', null).where(accepts(type)).execute())
}

/** The person and the organization of a contact method; null for a channel of an organization. */
export type RecipientChannel = ChannelRow & { organization_id: string | null; user_id: string | null }

/**
 * A channel, or a contact method while its member is one whom the organization does not refuse. That for e-mail has the verified
 * address of the account.
 */
export async function findRecipientChannel(db: Db, organization: number, id: string): Promise<RecipientChannel | undefined> {
  const { rows } = await sql<RecipientChannel>`
    select organization.id as organization_id, channel.user_id, channel.id, channel.name, type, enabled, secrets_encrypted, channel.created_at, last_error, last_test,
      case when channel.user_id is null or type <> 'email' then config else jsonb_build_object('to', app_user.email) end as config
    from channel
    left join membership on membership.organization = channel.organization and membership.user_id = channel.user_id
    left join organization on organization.number = membership.organization
    left join app_user on app_user.id = membership.user_id
    where channel.organization = ${organization} and channel.id = ${id} and channel.deleted_at is null and (
      channel.user_id is null
      or (not ${sql.raw(IS_REFUSED)} and (type <> 'email' or app_user.email_verified_at is not null))
    )`.execute(db)
  return rows[0]
}
