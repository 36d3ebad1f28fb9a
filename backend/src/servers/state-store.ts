import type { Filesystem, HostState, NetworkInterface, Process } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** What pushes bring beside samples: the newest state only. */
export interface ServerState {
  stateAtMs: number
  filesystems: Filesystem[]
  interfaces: NetworkInterface[]
  processes: Process[]
  host: HostState
}

export async function findState(db: Db, organization: number, serverId: string): Promise<ServerState | undefined> {
  const row = await db
    .selectFrom('server_state')
    .select(['state_at_ms', 'filesystems', 'interfaces', 'processes', 'host'])
    .where('organization', '=', organization)
    .where('server_id', '=', serverId)
    .executeTakeFirst()
  return (
    row && {
      stateAtMs: row.state_at_ms,
      filesystems: row.filesystems as Filesystem[],
      interfaces: row.interfaces as NetworkInterface[],
      processes: row.processes as Process[],
      host: row.host as HostState,
    }
  )
}

export interface StateChange extends ServerState {
  organization: number
  serverId: string
  lastPushMs: number
}

/** Stores what was collected of many servers in one statement; an older state never replaces a newer one. Deleted servers are left out. */
export async function upsertStates(db: Db, changes: readonly StateChange[]): Promise<void> {
  const column = <T>(pick: (change: StateChange) => T) => changes.map(pick)
  await sql`
    insert into server_state as state (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces, processes, host)
    select given.organization, given.server_id, given.last_push_ms, given.state_at_ms, given.filesystems::jsonb, given.interfaces::jsonb,
      given.processes::jsonb, given.host::jsonb
    from unnest(
      ${column((change) => change.organization)}::int[],
      ${column((change) => change.serverId)}::uuid[],
      ${column((change) => change.lastPushMs)}::bigint[],
      ${column((change) => change.stateAtMs)}::bigint[],
      ${column((change) => JSON.stringify(change.filesystems))}::text[],
      ${column((change) => JSON.stringify(change.interfaces))}::text[],
      ${column((change) => JSON.stringify(change.processes))}::text[],
      ${column((change) => JSON.stringify(change.host))}::text[]
    ) as given (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces, processes, host)
    join server on server.organization = given.organization and server.id = given.server_id
    on conflict (organization, server_id) do update set
      last_push_ms = greatest(state.last_push_ms, excluded.last_push_ms),
      state_at_ms = greatest(state.state_at_ms, excluded.state_at_ms),
      filesystems = case when excluded.state_at_ms >= state.state_at_ms then excluded.filesystems else state.filesystems end,
      interfaces = case when excluded.state_at_ms >= state.state_at_ms then excluded.interfaces else state.interfaces end,
      processes = case when excluded.state_at_ms >= state.state_at_ms then excluded.processes else state.processes end,
      host = case when excluded.state_at_ms >= state.state_at_ms then excluded.host else state.host end`.execute(db)
}
