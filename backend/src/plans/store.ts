import type { Plan } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'

/** The plan of the organization. Throws not_found once it is deleted, which may happen during a request. */
export async function findPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db
    .selectFrom('organization')
    .select('plan')
    .where('number', '=', organization)
    .executeTakeFirstOrThrow(notFound)
  return row.plan
}

/** As `findPlan`; locks the plan until the transaction ends, but not the insertion of rows that refer to the organization. */
export async function lockPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db
    .selectFrom('organization')
    .select('plan')
    .where('number', '=', organization)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(notFound)
  return row.plan
}

export async function updatePlan(db: Db, organization: number, plan: Plan): Promise<void> {
  await db.updateTable('organization').set({ plan }).where('number', '=', organization).execute()
}
