import { sql } from 'kysely'
import { announceChange, type Db } from '../../platform/db/index.ts'

// What changes of incidents of alert sources while they are open.

/** Moves the ends of open alerts. */
export async function moveEnds(
  db: Db,
  organization: number,
  sourceId: string,
  ends: readonly { fingerprint: string; endsAtMs: number | null }[],
): Promise<void> {
  const endsAt = ends.map(({ endsAtMs }) => (endsAtMs === null ? null : new Date(endsAtMs)))
  await sql`
    update open_incident as o set ends_at = given.ends_at
    from unnest(${ends.map(({ fingerprint }) => fingerprint)}::uuid[], ${endsAt}::timestamptz[]) as given (series, ends_at)
    where o.organization = ${organization} and o.rule_id = ${sourceId} and o.series = given.series`.execute(db)
  await announceChange(db, 'open_incident')
}

/** Says in the incident about too many alerts how many opened none, where that are more than it says. */
export async function countBeyond(
  db: Db,
  organization: number,
  incident: { incident_id: string; incident_at: Date },
  count: number,
  summary: string,
): Promise<void> {
  await sql`
    update incident set summary = ${summary}, evidence = evidence || jsonb_build_object('not_opened', ${count}::int)
    where organization = ${organization} and id = ${incident.incident_id} and at = ${incident.incident_at}
      and (evidence ->> 'not_opened')::int < ${count}`.execute(db)
}
