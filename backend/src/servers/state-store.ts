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

/** What of the state is told by itself; a push may bring some and leave out others. */
export const STATE_PARTS = ['filesystems', 'interfaces', 'processes', 'host'] as const
export type StatePart = (typeof STATE_PARTS)[number]

/** What is newer than what is stored; a part that was not told since is absent. */
export type FreshState = Pick<ServerState, 'stateAtMs'> & Partial<Pick<ServerState, StatePart>>

/** The newest state of a server, of what is stored and what is not stored yet; undefined where nothing was ever told. */
export async function readState(
  db: Db,
  organization: number,
  serverId: string,
  fresh: FreshState | undefined,
): Promise<ServerState | undefined> {
  if (fresh && isWhole(fresh)) return fresh
  const stored = await findState(db, organization, serverId)
  if (!fresh || (stored && stored.stateAtMs > fresh.stateAtMs)) return stored
  return { ...UNTOLD, ...stored, ...fresh }
}

const UNTOLD = { filesystems: [], interfaces: [], processes: [], host: {} }

const isWhole = (fresh: FreshState): fresh is ServerState => STATE_PARTS.every((part) => fresh[part] !== undefined)

export interface StateChange {
  organization: number
  serverId: string
  lastPushMs: number
  stateAtMs: number
  /** As JSON; what is absent stays as it is. */
  parts: Partial<Record<StatePart, string>>
}

/**
 * Stands for a part that was not told until the stored one is looked at, which another instance may be storing anew: what this
 * statement sees of it when it begins is no answer. A server that has none yet gets the empty part.
 */
const UNTOLD_PART = sql`'null'::jsonb`
const orUntold = (empty: '[]' | '{}') =>
  sql`case when known.server_id is null then ${sql.lit(empty)}::jsonb else ${UNTOLD_PART} end`
const newer = (part: StatePart) => {
  const [given, stored] = [sql.ref(`excluded.${part}`), sql.ref(`state.${part}`)]
  return sql`case when excluded.state_at_ms >= state.state_at_ms and ${given} <> ${UNTOLD_PART} then ${given} else ${stored} end`
}

/** Stores what was collected of many servers in one statement; an older state never replaces a newer one. Deleted servers are left out. */
export async function upsertStates(db: Db, changes: readonly StateChange[]): Promise<void> {
  const column = <T>(pick: (change: StateChange) => T) => changes.map(pick)
  await sql`
    insert into server_state as state (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces, processes, host)
    select given.organization, given.server_id, given.last_push_ms, given.state_at_ms,
      coalesce(given.filesystems::jsonb, ${orUntold('[]')}), coalesce(given.interfaces::jsonb, ${orUntold('[]')}),
      coalesce(given.processes::jsonb, ${orUntold('[]')}), coalesce(given.host::jsonb, ${orUntold('{}')})
    from unnest(
      ${column((change) => change.organization)}::int[],
      ${column((change) => change.serverId)}::uuid[],
      ${column((change) => change.lastPushMs)}::bigint[],
      ${column((change) => change.stateAtMs)}::bigint[],
      ${column(({ parts }) => parts.filesystems ?? null)}::text[],
      ${column(({ parts }) => parts.interfaces ?? null)}::text[],
      ${column(({ parts }) => parts.processes ?? null)}::text[],
      ${column(({ parts }) => parts.host ?? null)}::text[]
    ) as given (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces, processes, host)
    join server on server.organization = given.organization and server.id = given.server_id
    left join server_state as known on known.organization = given.organization and known.server_id = given.server_id
    -- Two instances that store the same servers take them in one order.
    order by given.organization, given.server_id
    on conflict (organization, server_id) do update set
      last_push_ms = greatest(state.last_push_ms, excluded.last_push_ms),
      state_at_ms = greatest(state.state_at_ms, excluded.state_at_ms),
      filesystems = ${newer('filesystems')},
      interfaces = ${newer('interfaces')},
      processes = ${newer('processes')},
      host = ${newer('host')}`.execute(db)
}
