import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** What happened, as it is told. */
export interface NewEvent {
  id: string
  type: string
  at: Date
  data: object
}

/** Stores an event. Run it in the transaction that does what it tells of. */
export async function insertEvent(db: Db, organization: number, { id, type, at, data }: NewEvent): Promise<void> {
  await sql`
    insert into live_event (organization, at, id, transaction_id, settled_before, type, data)
    values (${organization}, ${at}, ${id}, pg_current_xact_id(), pg_snapshot_xmin(pg_current_snapshot()), ${type},
      ${JSON.stringify(data)}::jsonb)`.execute(db)
}

/** Removes the events of an organization that is deleted: they hang on no foreign key. */
export async function deleteOrganizationEvents(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('live_event').where('organization', '=', organization).execute()
}
