import type { Db } from '../../../platform/db/index.ts'

export interface PageDomain {
  organization: number
  id: string
  domain: string
}

/** Pages of all organizations whose domain is to be looked up, those that wait longest first. */
export async function listDueDomains(db: Db, at: Date, limit: number): Promise<PageDomain[]> {
  const rows = await db
    .selectFrom('status_page')
    .select(['organization', 'id', 'domain'])
    .where('domain', 'is not', null)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('domain_check_at', 'is', null), where('domain_check_at', '<=', at)]))
    .orderBy('domain_check_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()
  return rows as PageDomain[]
}

export interface DomainRow {
  name: string
  domain: string | null
  domain_verified_at: Date | null
  domain_missing_at: Date | null
  updated_at: Date
}

/** Locked until the transaction ends. */
export function lockDomain(db: Db, organization: number, id: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('status_page')
    .select(['name', 'domain', 'domain_verified_at', 'domain_missing_at', 'updated_at'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** The page that has proven the domain. Locked until the transaction ends. */
export function lockOwner(db: Db, domain: string): Promise<{ organization: number; page_id: string } | undefined> {
  return db
    .selectFrom('status_page_address')
    .select(['organization', 'page_id'])
    .where('kind', '=', 'domain')
    .where('address', '=', domain)
    .forUpdate()
    .executeTakeFirst()
}

export interface DomainChange {
  domain_verified_at: Date | null
  domain_missing_at: Date | null
  domain_check_at: Date
  /** Where the proof has changed. */
  updated_at?: Date
}

export async function updateDomain(db: Db, organization: number, id: string, change: DomainChange): Promise<void> {
  await db
    .updateTable('status_page')
    .set(change)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}
