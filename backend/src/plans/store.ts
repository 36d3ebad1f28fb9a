import type { Plan } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'

/** The plan of an organization that exists. */
export async function findPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db.selectFrom('organization').select('plan').where('number', '=', organization).executeTakeFirstOrThrow()
  return row.plan
}

/** As `findPlan`, holding off others who lock it until the transaction ends; rows that refer to the organization may come meanwhile. */
export async function lockPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db
    .selectFrom('organization')
    .select('plan')
    .where('number', '=', organization)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return row.plan
}

export async function updatePlan(db: Db, organization: number, plan: Plan): Promise<void> {
  await db.updateTable('organization').set({ plan }).where('number', '=', organization).execute()
}
