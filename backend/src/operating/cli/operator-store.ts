import type { Plan } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

export interface OrganizationOverview {
  number: number
  id: string
  name: string
  plan: Plan
  members: number
  servers: number
  created_at: Date
}

/** Every organization with its counts, oldest first. */
export function listAllOrganizations(db: Db): Promise<OrganizationOverview[]> {
  return db
    .selectFrom('organization')
    .select(['number', 'id', 'name', 'plan', 'created_at'])
    .select([
      sql<number>`(select count(*) from membership where membership.organization = organization.number)`.as('members'),
      sql<number>`(select count(*) from server where server.organization = organization.number)`.as('servers'),
    ])
    .orderBy('number')
    .execute()
}

/** Numbers of the user's organizations. */
export async function findOrganizationsOf(db: Db, userId: string): Promise<number[]> {
  const rows = await db.selectFrom('membership').select('organization').where('user_id', '=', userId).execute()
  return rows.map(({ organization }) => organization)
}

/** The server with this id, in any organization. */
export function findServer(db: Db, id: string): Promise<{ organization: number; number: number; hostname: string } | undefined> {
  return db.selectFrom('server').select(['organization', 'number', 'hostname']).where('id', '=', id).executeTakeFirst()
}
