import type { Db } from '../platform/db/index.ts'

/** Removes the incidents of an organization that is deleted: they hang on no foreign key. */
export async function deleteOrganizationIncidents(db: Db, organization: number): Promise<void> {
  for (const table of ['incident', 'incident_event'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).execute()
}
