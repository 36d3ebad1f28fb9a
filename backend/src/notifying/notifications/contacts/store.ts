import { sql } from 'kysely'
import { IS_REFUSED } from '../../../access/auth/index.ts'
import { type Db, type PageRequest, readPage } from '../../../platform/db/index.ts'
import type { ChannelRow, RecipientRow } from '../channels/store.ts'

/** Those of a member; that for e-mail has the address of the account. */
const contactsOf = (db: Db, organization: number, userId: string) =>
  db
    .selectFrom('channel')
    .innerJoin('app_user', 'app_user.id', 'channel.user_id')
    .select([
      'channel.id',
      'channel.user_id',
      'channel.name',
      'channel.type',
      'channel.enabled',
      'channel.secrets_encrypted',
      'channel.created_at',
      'channel.last_error',
      'channel.last_test',
      sql<ChannelRow['config']>`case when type = 'email' then jsonb_build_object('to', app_user.email) else config end`.as(
        'config',
      ),
    ])
    .where('channel.organization', '=', organization)
    .where('channel.user_id', '=', userId)

/** One page, newest first, and the total. */
export const listContacts = (
  db: Db,
  organization: number,
  userId: string,
  page: PageRequest,
): Promise<{ total: number; rows: ChannelRow[] }> =>
  readPage(db, contactsOf(db, organization, userId), sql`created_at desc, id desc`, page)

export const findContact = (db: Db, organization: number, userId: string, id: string): Promise<RecipientRow | undefined> =>
  contactsOf(db, organization, userId).where('channel.id', '=', id).executeTakeFirst()

/** At once, unlike a channel of the organization. */
export async function deleteContact(db: Db, organization: number, id: string): Promise<void> {
  await db.deleteFrom('channel').where('organization', '=', organization).where('id', '=', id).execute()
}

/** The types of a member's contact methods. */
export async function listContactTypes(db: Db, organization: number, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channel')
    .select('type')
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ type }) => type)
}

export interface PersonReach {
  user_id: string
  /** Whether the e-mail of the account is verified. */
  is_verified: boolean
  /** Contact methods; that for e-mail only where it is verified. */
  channel_ids: string[]
  browser_ids: string[]
}

/** Those of these people who are members whom the organization does not refuse. */
export async function listReach(db: Db, organization: number, userIds: readonly string[]): Promise<PersonReach[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<PersonReach>`
    select membership.user_id, app_user.email_verified_at is not null as is_verified,
      array(
        select channel.id from channel
        where channel.organization = membership.organization and channel.user_id = membership.user_id
          and (type <> 'email' or app_user.email_verified_at is not null)
        order by channel.created_at, channel.id
      ) as channel_ids,
      array(select push_subscription.id from push_subscription where push_subscription.user_id = membership.user_id) as browser_ids
    from membership
    join organization on organization.number = membership.organization
    join app_user on app_user.id = membership.user_id
    where membership.organization = ${organization} and membership.user_id = any(${userIds}::uuid[])
      and not ${sql.raw(IS_REFUSED)}
    order by membership.user_id`.execute(db)
  return rows
}

/** Makes the e-mail of a member a contact method, if it is none; gives its id. */
export async function addEmailContact(db: Db, organization: number, userId: string, id: string, at: Date): Promise<string> {
  // It has no secrets.
  await sql`
    insert into channel (organization, id, name, type, enabled, config, secrets_encrypted, created_at, user_id)
    values (${organization}, ${id}, 'email', 'email', true, '{}', '', ${at}, ${userId})
    on conflict (organization, user_id) where user_id is not null and type = 'email' do nothing`.execute(db)
  const row = await db
    .selectFrom('channel')
    .select('id')
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .where('type', '=', 'email')
    .executeTakeFirstOrThrow()
  return row.id
}
