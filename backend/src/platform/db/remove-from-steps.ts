import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** Removes a channel or schedule that is deleted from the steps of escalation policies. */
export async function removeFromSteps(
  db: Db,
  organization: number,
  field: 'channel_ids' | 'schedule_ids',
  id: string,
): Promise<void> {
  await sql`
    update escalation_policy set steps = (
      select jsonb_agg(jsonb_set(step, ${sql.raw(`'{${field}}'`)}, (step -> ${field}) - ${id}::text) order by number)
      from jsonb_array_elements(steps) with ordinality as each (step, number)
    )
    where organization = ${organization} and exists (
      select from jsonb_array_elements(steps) as step where step -> ${field} ? ${id}::text
    )`.execute(db)
}
