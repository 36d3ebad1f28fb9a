import { type RawBuilder, sql } from 'kysely'
import { createResourceStore, type Db, type TableRow } from '../../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'name',
  'slug',
  'domain',
  'domain_verified_at',
  'title',
  'description',
  'logo',
  'accent',
  'theme',
  'time_zone',
  'language',
  'sections',
  'visibility',
  'password_hash',
  'link_version',
  'indexed',
  'published',
  'templates',
  'managed',
  'created_at',
  'updated_at',
] as const

export type PageRow = Pick<TableRow<'status_page'>, (typeof COLUMNS)[number]>

/** The definition of a page. */
export type PageColumns = Omit<PageRow, 'id' | 'managed' | 'created_at' | 'updated_at'>

const pages = createResourceStore('status_page', COLUMNS, ['sections', 'templates'])
export const {
  insert: insertPage,
  find: findPage,
  lock: lockPage,
  update: updatePage,
  list: listPages,
  readAll: readPages,
  deleted: deletedPages,
} = pages

/** Its addresses are free at once. */
export async function deletePage(db: Db, organization: number, id: string, at: Date): Promise<void> {
  await removeAddresses(db, organization, id)
  await pages.remove(db, organization, id, at)
}

/** Whether the page of a post or subscriber is not deleted; `of` is the table of these. */
export const isOnPage = (of: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from status_page as page where page.organization = ${sql.ref(`${of}.organization`)} and page.id = ${sql.ref(`${of}.page_id`)}
    and page.deleted_at is null)`

/** The record of a new domain is looked up at once. */
export async function startDomainChecks(db: Db, organization: number, id: string): Promise<void> {
  await db
    .updateTable('status_page')
    .set({ domain_check_at: null, domain_missing_at: null })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

type Kind = TableRow<'status_page_address'>['kind']

/** Gives the page this address in place of the one that it has; false where the address belongs to another page. */
export async function putAddress(db: Db, organization: number, id: string, kind: Kind, address: string): Promise<boolean> {
  await removeAddresses(db, organization, id, kind)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('status_page_address')
    .values({ kind, address, organization, page_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function removeAddresses(db: Db, organization: number, id: string, kind?: Kind): Promise<void> {
  await db
    .deleteFrom('status_page_address')
    .where('organization', '=', organization)
    .where('page_id', '=', id)
    .$if(kind !== undefined, (remove) => remove.where('kind', '=', kind as Kind))
    .execute()
}

/** Ends the subscriptions that visitors made. Members add the others. */
export async function deleteVisitors(db: Db, organization: number, pageId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('status_subscriber')
    .where('organization', '=', organization)
    .where('page_id', '=', pageId)
    .where((eb) => eb.or([eb('type', '=', 'email'), eb('address_hash', 'is not', null)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
