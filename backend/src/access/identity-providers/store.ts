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
  'created_at',
  'updated_at',
] as const

export type IdentityProviderRow = Pick<TableRow<'identity_provider'>, (typeof COLUMNS)[number]>

export async function insertProvider(db: Db, row: IdentityProviderRow): Promise<void> {
  await db
    .insertInto('identity_provider')
    .values({ ...row, role_mapping: JSON.stringify(row.role_mapping) })
    .execute()
}

const providers = createResourceStore('identity_provider', COLUMNS)

/** Its identities, requests and sessions are deleted with it. */
export const { find: findProvider, lock: lockProvider, list: listProviders, remove: deleteProvider } = providers

export async function updateProvider(db: Db, row: IdentityProviderRow): Promise<void> {
  const { organization, id, role_mapping: mapping, ...columns } = row
  await db
    .updateTable('identity_provider')
    .set({ ...columns, role_mapping: JSON.stringify(mapping) })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** For a sign-in, which knows no organization yet: the enabled provider with this id. */
export const findEnabledProvider = (db: Db, id: string): Promise<IdentityProviderRow | undefined> =>
  db.selectFrom('identity_provider').select(COLUMNS).where('id', '=', id).where('enabled', '=', true).executeTakeFirst()

/** All providers of the installation, by organization and name. */
export const listAllProviders = (db: Db): Promise<IdentityProviderRow[]> =>
  db.selectFrom('identity_provider').select(COLUMNS).orderBy('organization').orderBy('name').orderBy('id').execute()

/** Enabled providers that may vouch for e-mails of a domain, of any organization, by name. */
export const listProvidersOfDomain = (db: Db, domain: string, limit: number): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('identity_provider')
    .select(['id', 'name'])
    .where('email_domains', '@>', sql<string[]>`array[${domain}]::text[]`)
    .where('enabled', '=', true)
    .orderBy('name')
    .orderBy('id')
    .limit(limit)
    .execute()
