import { type Filesystem, HEALTH_STATUSES, type HostState } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db, ServerFacts } from '../../platform/db/index.ts'
import type { Finding } from '../servers/index.ts'
import type { Health, HealthMemory } from './derive.ts'

export interface ServerKey {
  organization: number
  /** Its number. */
  server: number
  id: string
}

/** What is stored of a server, but for its samples and entities. */
export interface MeasuredState {
  organization: number
  id: string
  /** Instant of its newest sample, ms. */
  sampled_at_ms: number
  state_at_ms: number | null
  filesystems: Filesystem[] | null
  host: HostState | null
  facts: Pick<ServerFacts, 'dropped_samples' | 'damaged_records'>
  /** As it was derived last; null: never. */
  findings: Finding[] | null
  memory: HealthMemory | null
}

/** The state of each of these servers that has sent a sample, in any order. */
export async function readStates(db: Db, servers: readonly ServerKey[]): Promise<MeasuredState[]> {
  const { rows } = await sql<MeasuredState>`
    select s.organization, s.id, newest.sampled_at_ms, state.state_at_ms, state.filesystems, state.host,
      jsonb_strip_nulls(jsonb_build_object('dropped_samples', s.facts -> 'dropped_samples',
        'damaged_records', s.facts -> 'damaged_records')) as facts,
      health.findings, health.memory
    from unnest(${servers.map(({ organization }) => organization)}::int[], ${servers.map(({ id }) => id)}::uuid[])
      as q (organization, id)
    join server as s on s.organization = q.organization and s.id = q.id
    join server_newest as newest on newest.organization = s.organization and newest.id = s.id and newest.sampled_at_ms > 0
    left join server_state as state on state.organization = s.organization and state.server_id = s.id
    left join server_health as health on health.organization = s.organization and health.server_id = s.id`.execute(db)
  return rows
}

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
