import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'
import type { ChannelRow } from '../channels/store.ts'

/** Those of a member; that for e-mail has the address of the account. */
const contactsOf = (db: Db, organization: number, userId: string) =>
  db
    .selectFrom('channel')
    .innerJoin('app_user', 'app_user.id', 'channel.user_id')
    .select([
      'channel.id',
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

export const findContact = (db: Db, organization: number, userId: string, id: string): Promise<ChannelRow | undefined> =>
  contactsOf(db, organization, userId).where('channel.id', '=', id).executeTakeFirst()

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
