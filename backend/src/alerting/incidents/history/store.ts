import { sql } from 'kysely'
import { binaryArray, type Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { NewExternal } from '../many-store.ts'

/** An incident of a source that ended elsewhere: the same one has the same `id` and `at`. */
export type EndedIncident = Omit<NewExternal, 'silenced' | 'parent_id' | 'flapping' | 'has_down_parent' | 'ends_at'> & {
  at: Date
  acknowledged_at: Date | null
  acknowledged_by: string | null
  resolved_at: Date
}

/** An entry of a timeline of another time than that of its storage. */
export interface PastEvent {
  incidentId: string
  at: Date
  type: string
  message: string
  actorId: string | null
}

/**
 * Stores those that are not stored, unless the source had an incident of the same series at the time that nobody added; returns the ids
 * of what it stored.
 */
export async function insertEnded(
  db: Db,
  organization: number,
  sourceId: string,
  incidents: readonly EndedIncident[],
): Promise<Set<string>> {
  const column = <T>(pick: (incident: EndedIncident) => T): T[] => incidents.map(pick)
  const uuids = (pick: (incident: EndedIncident) => string) => binaryArray.uuid(column(pick))
  const texts = (pick: (incident: EndedIncident) => string | null) => binaryArray.text(column(pick))
  const instants = (pick: (incident: EndedIncident) => Date | null) => binaryArray.timestamptz(column(pick))
  const { rows } = await sql<{ id: string }>`
    insert into incident (organization, id, at, rule_id, target_type, target_id, series, external, target_name, status, severity, summary,
      silenced, evidence, acknowledged_at, acknowledged_by, resolved_at)
    select ${organization}::int, id, at, ${sourceId}::uuid, target_type, target_id, series, external::jsonb, target_name, 'resolved',
      severity, summary, false, evidence::jsonb, acknowledged_at, acknowledged_by::uuid, resolved_at
    from unnest(${uuids(({ id }) => id)}::uuid[], ${instants(({ at }) => at)}::timestamptz[],
      ${texts(({ target_type: type }) => type)}::text[], ${uuids(({ target_id: target }) => target)}::uuid[],
      ${uuids(({ series }) => series)}::uuid[], ${texts(({ external }) => JSON.stringify(external))}::text[],
      ${texts(({ target_name: name }) => name)}::text[], ${texts(({ severity }) => severity)}::text[],
      ${texts(({ summary }) => summary)}::text[], ${texts(({ evidence }) => JSON.stringify(evidence))}::text[],
      ${instants((one) => one.acknowledged_at)}::timestamptz[], ${texts((one) => one.acknowledged_by)}::text[],
      ${instants((one) => one.resolved_at)}::timestamptz[]) as given (id, at, target_type, target_id, series, external, target_name,
        severity, summary, evidence, acknowledged_at, acknowledged_by, resolved_at)
    where not exists (
      select from incident as own
      where own.organization = ${organization} and own.series = given.series and own.rule_id = ${sourceId}
        and own.at < given.resolved_at and coalesce(own.resolved_at, 'infinity') > given.at and not own.evidence ? 'added_at'
    )
    on conflict do nothing returning id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export async function insertPastEvents(db: Db, organization: number, events: readonly PastEvent[]): Promise<void> {
  const column = <T>(pick: (event: PastEvent) => T): T[] => events.map(pick)
  await sql`
    insert into incident_event (organization, incident_id, at, id, type, message, actor_id)
    select ${organization}::int, incident_id, at, id, type, message, actor_id::uuid
    from unnest(${binaryArray.uuid(column(({ incidentId }) => incidentId))}::uuid[],
      ${binaryArray.timestamptz(column(({ at }) => at))}::timestamptz[], ${binaryArray.uuid(column(() => newId()))}::uuid[],
      ${binaryArray.text(column(({ type }) => type))}::text[], ${binaryArray.text(column(({ message }) => message))}::text[],
      ${binaryArray.text(column(({ actorId }) => actorId))}::text[]) as event (incident_id, at, id, type, message, actor_id)`.execute(
    db,
  )
}
