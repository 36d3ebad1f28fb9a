import type { ChannelFault, ChannelLastTest } from '@vedette/shared'
import { sql } from 'kysely'
import { createResourceRows, type Db, type TableRow } from '../../../platform/db/index.ts'
import type { Language } from '../../../platform/language/index.ts'
import { isConfirmedAddress } from '../../mail/index.ts'

const COLUMNS = ['id', 'name', 'type', 'enabled', 'config', 'secrets_encrypted', 'created_at', 'last_error', 'last_test'] as const

export type ChannelRow = Pick<TableRow<'channel'>, (typeof COLUMNS)[number]>
/** `address_confirmed`: of type email; null of the others. */
export type StoredChannel = ChannelRow & Pick<TableRow<'channel'>, 'managed'> & { address_confirmed: boolean | null }
/** With a user the contact method of a member. */
export type RecipientRow = ChannelRow & { user_id?: string | null }

/** With a user: a contact method of that member. */
export async function insertChannel(
  db: Db,
  organization: number,
  { config, last_error: _none, last_test: _untested, ...columns }: ChannelRow,
  userId: string | null = null,
): Promise<void> {
  await db
    .insertInto('channel')
    .values({ ...columns, organization, user_id: userId, config: JSON.stringify(config) })
    .execute()
}

const ADDRESS_CONFIRMED = sql<boolean | null>`case when channel.type = 'email'
  then ${isConfirmedAddress(sql`channel.organization`, sql`lower(channel.config ->> 'to')`)} end`

/** Lock a channel before rules. */
export const {
  find: findChannel,
  lock: lockChannel,
  list: listChannels,
  readAll: readChannels,
  remove: markDeleted,
  deleted: deletedChannels,
} = createResourceRows('channel', (db, organization) =>
  db
    .selectFrom('channel')
    .select([...COLUMNS, 'managed', ADDRESS_CONFIRMED.as('address_confirmed')])
    .where('organization', '=', organization)
    .where('user_id', 'is', null),
)

/** The organization, where a channel of it sends to this address, which is in lower case. */
export const findChannelsTo = (
  db: Db,
  organization: number,
  address: string,
): Promise<{ name: string; language: Language } | undefined> =>
  db
    .selectFrom('organization')
    .select(['organization.name', 'organization.language'])
    .where('number', '=', organization)
    .where(({ exists, selectFrom }) => exists(selectFrom('channel').select('id').where(sendsTo(organization, address))))
    .executeTakeFirst()

/** The channels of the organization that send to this address say that its owner has confirmed it. */
export async function confirmAddress(db: Db, organization: number, address: string): Promise<void> {
  await db.updateTable('channel').set({ confirmed_to: address }).where(sendsTo(organization, address)).execute()
}

const sendsTo = (organization: number, address: string) => sql<boolean>`
  channel.organization = ${organization} and channel.user_id is null and channel.type = 'email' and lower(channel.config ->> 'to') = ${address}
  and channel.deleted_at is null`

export async function updateChannel(db: Db, organization: number, row: ChannelRow): Promise<void> {
  const { id, name, enabled, config, secrets_encrypted, last_error: fault, last_test: test } = row
  await db
    .updateTable('channel')
    .set({
      name,
      enabled,
      config: JSON.stringify(config),
      secrets_encrypted,
      last_error: fault && JSON.stringify(fault),
      last_test: test && JSON.stringify(test),
    })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Records why a delivery failed, and how many have failed in a row. */
export async function recordChannelFailure(
  db: Db,
  organization: number,
  id: string,
  fault: Omit<ChannelFault, 'attempts'>,
): Promise<void> {
  await sql`
    update channel set last_error = ${JSON.stringify(fault)}::jsonb
      || jsonb_build_object('attempts', coalesce((last_error ->> 'attempts')::int, 0) + 1)
    where organization = ${organization} and id = ${id} and deleted_at is null`.execute(db)
}

/** Records a successful delivery. */
export async function clearChannelFailure(db: Db, organization: number, id: string): Promise<void> {
  await db
    .updateTable('channel')
    .set({ last_error: null })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('last_error', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute()
}

export async function recordChannelTest(db: Db, organization: number, id: string, test: ChannelLastTest): Promise<void> {
  await db
    .updateTable('channel')
    .set({ last_test: JSON.stringify(test) })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Marks the channel as deleted. `references`: where others named it. */
export async function deleteChannel(db: Db, organization: number, id: string, at: Date, references: object): Promise<void> {
  await markDeleted(db, organization, id, at, references)
  await db.deleteFrom('notification_group').where('organization', '=', organization).where('channel_id', '=', id).execute()
}
