import { HEALTH_STATUSES } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Health } from './derive.ts'

export interface ChangedHealth {
  organization: number
  id: string
  atMs: number
  health: Health
}

/**
 * Stores what was derived, and returns the ids of those that are changed by it: what another process stored already, or derived from
 * newer samples, stays. One order for all processes: they cannot wait for each other.
 */
export async function upsertHealth(db: Db, changed: readonly ChangedHealth[]): Promise<Set<string>> {
  const { rows } = await sql<{ server_id: string }>`
    insert into server_health as known (organization, server_id, level, findings, memory, derived_ms)
    select server.organization, server.id, given.level, given.findings::jsonb, given.memory::jsonb, given.derived_ms
    from unnest(
      ${changed.map(({ organization }) => organization)}::int[], ${changed.map(({ id }) => id)}::uuid[],
      ${changed.map(({ health }) => HEALTH_STATUSES.indexOf(health.status))}::int2[],
      ${changed.map(({ health }) => JSON.stringify(health.findings))}::text[],
      ${changed.map(({ health }) => JSON.stringify(health.memory))}::text[],
      ${changed.map(({ atMs }) => atMs)}::bigint[]
    ) as given (organization, id, level, findings, memory, derived_ms)
    join server on server.organization = given.organization and server.id = given.id
    order by server.organization, server.id
    on conflict (organization, server_id) do update set
      level = excluded.level, findings = excluded.findings, memory = excluded.memory, derived_ms = excluded.derived_ms
    where known.derived_ms <= excluded.derived_ms
      and (known.findings, known.memory) is distinct from (excluded.findings, excluded.memory)
    returning server_id`.execute(db)
  return new Set(rows.map(({ server_id }) => server_id))
}
