import type { PatchOrganizationBody, Plan, Role } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'

/** Stores an organization; returns its number, the tenant key of all its rows. */
export async function insertOrganization(
  db: Db,
  organization: { id: string; name: string; plan: Plan },
  at: Date,
): Promise<number> {
  const row = await db
    .insertInto('organization')
    .values({ ...organization, created_at: at })
    .returning('number')
    .executeTakeFirstOrThrow()
  return row.number
}

export interface OrganizationItemRow {
  id: string
  name: string
  role: Role
  created_at: Date
}

/** The user's organizations, newest first. */
export function listOrganizationsOf(
  db: Db,
  userId: string,
  page: PageRequest,
): Promise<{ total: number; rows: OrganizationItemRow[] }> {
  const query = db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.number', 'membership.organization')
    .select(['organization.id', 'organization.name', 'membership.role', 'organization.created_at'])
    .where('membership.user_id', '=', userId)
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

/** How many organizations the user owns. */
export async function countOwned(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

export interface OrganizationRow {
  id: string
  name: string
  plan: string
  require_second_factor: boolean
  api_key_max_days: number | null
  language: 'en' | 'de'
  created_at: Date
  member_count: number
  monitor_count: number
  server_count: number
}

/** The organization with its counts; undefined once it is deleted. */
export function findOrganization(db: Db, organization: number): Promise<OrganizationRow | undefined> {
  return db
    .selectFrom('organization')
    .select(['id', 'name', 'plan', 'require_second_factor', 'api_key_max_days', 'language', 'created_at'])
    .select([
      sql<number>`(select count(*) from membership where membership.organization = organization.number)`.as('member_count'),
      sql<number>`(select count(*) from monitor where monitor.organization = organization.number and deleted_at is null)`.as(
        'monitor_count',
      ),
      sql<number>`(select count(*) from server where server.organization = organization.number)`.as('server_count'),
    ])
    .where('number', '=', organization)
    .executeTakeFirst()
}

export type LockedOrganization = Pick<OrganizationRow, 'id' | 'name' | 'require_second_factor' | 'api_key_max_days' | 'language'>

/**
 * Locks the members, servers, monitors and schedules of the organization until the transaction ends. Always in this order and the
 * organization last, like all other transactions, to prevent deadlocks.
 */
export async function lockContents(db: Db, organization: number): Promise<void> {
  await db
    .selectFrom('membership')
    .select('user_id')
    .where('organization', '=', organization)
    .orderBy('user_id')
    .forUpdate()
    .execute()
  for (const table of ['server', 'monitor'] as const)
    await db.selectFrom(table).select('id').where('organization', '=', organization).orderBy('id').forUpdate().execute()
  await db.selectFrom('check_schedule').select('fence').where('organization', '=', organization).forUpdate().execute()
}

/** Locks the organization until the transaction ends, so that nothing is added to it. Undefined once it is deleted. */
export function lockOrganization(db: Db, organization: number): Promise<LockedOrganization | undefined> {
  return db
    .selectFrom('organization')
    .select(['id', 'name', 'require_second_factor', 'api_key_max_days', 'language'])
    .where('number', '=', organization)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateOrganization(db: Db, organization: number, change: PatchOrganizationBody): Promise<void> {
  await db.updateTable('organization').set(change).where('number', '=', organization).execute()
}

/** Deletes it and, by foreign keys, the rows of the tenant tables, except samples, checks and audit events. */
export async function deleteOrganization(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('organization').where('number', '=', organization).execute()
}

/** The oldest organization, which is the operator's; undefined before the set-up. */
export function findFirstOrganization(db: Db): Promise<{ number: number; id: string; name: string } | undefined> {
  return db.selectFrom('organization').select(['number', 'id', 'name']).orderBy('number').limit(1).executeTakeFirst()
}
