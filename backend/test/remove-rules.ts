import type { TestBackend, TestOrganization } from './harness.ts'

/** Removes the default rules of a new organization, which would open incidents as well. */
export async function removeRules({ pool: { db } }: TestBackend, { number }: Pick<TestOrganization, 'number'>): Promise<void> {
  await db.deleteFrom('alert_rule').where('organization', '=', number).execute()
}
