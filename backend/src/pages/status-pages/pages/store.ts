import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'

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
  'created_at',
  'updated_at',
] as const

export type PageRow = Pick<TableRow<'status_page'>, (typeof COLUMNS)[number]>

/** The definition of a page. */
export type PageColumns = Omit<PageRow, 'id' | 'created_at' | 'updated_at'>

const withJson = ({ sections, templates, ...columns }: Partial<PageColumns>) => ({
  ...columns,
  ...(sections && { sections: JSON.stringify(sections) }),
  ...(templates && { templates: JSON.stringify(templates) }),
})

export async function insertPage(db: Db, organization: number, page: PageColumns & { id: string }, at: Date): Promise<void> {
  const { sections, templates, ...columns } = page
  const json = { sections: JSON.stringify(sections), templates: JSON.stringify(templates) }
  await db
    .insertInto('status_page')
    .values({ ...columns, ...json, organization, created_at: at, updated_at: at })
    .execute()
}

const pagesOf = (db: Db, organization: number) =>
  db.selectFrom('status_page').select(COLUMNS).where('organization', '=', organization)

export function findPage(db: Db, organization: number, id: string): Promise<PageRow | undefined> {
  return pagesOf(db, organization).where('id', '=', id).executeTakeFirst()
}

/** Locked until the transaction ends. */
export function lockPage(db: Db, organization: number, id: string): Promise<PageRow | undefined> {
  return pagesOf(db, organization).where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function updatePage(
  db: Db,
  organization: number,
  id: string,
  change: Partial<PageColumns>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('status_page')
    .set({ ...withJson(change), updated_at: at })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function deletePage(db: Db, organization: number, id: string): Promise<void> {
  await removeAddresses(db, organization, id)
  await db.deleteFrom('status_page').where('organization', '=', organization).where('id', '=', id).execute()
}

/** The record of a new domain is looked up at once. */
export async function startDomainChecks(db: Db, organization: number, id: string): Promise<void> {
  await db
    .updateTable('status_page')
    .set({ domain_check_at: null, domain_missing_at: null })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** One page of the list, newest first, and the total. */
export function listPages(db: Db, organization: number, page: PageRequest): Promise<{ total: number; rows: PageRow[] }> {
  return readPage(db, pagesOf(db, organization), sql`created_at desc, id desc`, page)
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
