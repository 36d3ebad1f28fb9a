import { sql } from 'kysely'
import { createResourceStore, type Db, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'organization',
  'name',
  'kind',
  'issuer',
  'client_id',
  'secret_encrypted',
  'email_domains',
  'creates_accounts',
  'default_role',
  'role_claim',
  'role_mapping',
  'enabled',
  'domain_token',
  'domain_proofs',
  'domains_check_at',
  'managed',
  'created_at',
  'updated_at',
] as const

export type IdentityProviderRow = Pick<TableRow<'identity_provider'>, (typeof COLUMNS)[number]>
export type NewProvider = Omit<IdentityProviderRow, 'managed'>
export type DomainProofs = IdentityProviderRow['domain_proofs']

export async function insertProvider(db: Db, row: NewProvider): Promise<void> {
  await db
    .insertInto('identity_provider')
    .values({ ...row, role_mapping: JSON.stringify(row.role_mapping), domain_proofs: JSON.stringify(row.domain_proofs) })
    .execute()
}

const providers = createResourceStore('identity_provider', COLUMNS)

/** Its identities, requests and sessions are removed with it. */
export const {
  find: findProvider,
  lock: lockProvider,
  list: listProviders,
  remove: deleteProvider,
  readAll: readProviders,
  deleted: deletedProviders,
} = providers

export async function updateProvider(db: Db, row: IdentityProviderRow): Promise<void> {
  const { organization, id, role_mapping: mapping, domain_proofs: proofs, managed: _managed, ...columns } = row
  await db
    .updateTable('identity_provider')
    .set({ ...columns, role_mapping: JSON.stringify(mapping), domain_proofs: JSON.stringify(proofs) })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** For a sign-in, which knows no organization yet: the enabled provider with this id. */
export const findEnabledProvider = (db: Db, id: string): Promise<IdentityProviderRow | undefined> =>
  db
    .selectFrom('identity_provider')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** All providers of the installation, by organization and name. */
export const listAllProviders = (db: Db): Promise<IdentityProviderRow[]> =>
  db
    .selectFrom('identity_provider')
    .select(COLUMNS)
    .where('deleted_at', 'is', null)
    .orderBy('organization')
    .orderBy('name')
    .orderBy('id')
    .execute()

/** Enabled providers for which a domain is proved, of any organization, by name. */
export const listProvidersOfDomain = (
  db: Db,
  domain: string,
  limit: number,
): Promise<{ id: string; name: string; issuer: string; organization: string }[]> =>
  db
    .selectFrom('identity_provider')
    .innerJoin('organization', 'organization.number', 'identity_provider.organization')
    .select(['identity_provider.id', 'identity_provider.name', 'issuer', 'organization.name as organization'])
    .where('email_domains', '@>', sql<string[]>`array[${domain}]::text[]`)
    .where(sql<boolean>`jsonb_exists(domain_proofs, ${domain})`)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('identity_provider.name')
    .orderBy('identity_provider.id')
    .limit(limit)
    .execute()

/** Providers of all organizations whose domains are to be looked up, those that wait longest first. */
export const listDueProviders = (db: Db, at: Date, limit: number): Promise<IdentityProviderRow[]> =>
  db
    .selectFrom('identity_provider')
    .select(COLUMNS)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('domains_check_at', 'is', null), where('domains_check_at', '<=', at)]))
    .orderBy('domains_check_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()

export async function updateProofs(
  db: Db,
  id: string,
  change: { domain_proofs: DomainProofs; domains_check_at: Date },
): Promise<void> {
  await db
    .updateTable('identity_provider')
    .set({ ...change, domain_proofs: JSON.stringify(change.domain_proofs) })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Looks its domains up at the next run. */
export async function expireProofs(db: Db, id: string): Promise<void> {
  await db
    .updateTable('identity_provider')
    .set({ domains_check_at: null })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}
