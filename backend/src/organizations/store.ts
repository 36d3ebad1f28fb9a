import type { Plan, Role } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'

/** Stores an organization and gives its number, the tenant key of all it will hold. */
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

export async function insertMembership(db: Db, organization: number, userId: string, role: Role, at: Date): Promise<void> {
  await db.insertInto('membership').values({ organization, user_id: userId, role, joined_at: at }).execute()
}

/** The organization that was made first, which the local agent joins; undefined before the set-up. */
export function findFirstOrganization(db: Db): Promise<{ number: number; id: string; name: string } | undefined> {
  return db.selectFrom('organization').select(['number', 'id', 'name']).orderBy('number').limit(1).executeTakeFirst()
}
