import type { Filesystem, HostState, NetworkInterface } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The newest state of a host, which pushes report in addition to samples. */
export interface ServerState {
  stateAtMs: number
  filesystems: Filesystem[]
  interfaces: NetworkInterface[]
  host: HostState
}

export async function findState(db: Db, organization: number, serverId: string): Promise<ServerState | undefined> {
  const row = await db
    .selectFrom('server_state')
    .select(['state_at_ms', 'filesystems', 'interfaces', 'host'])
    .where('organization', '=', organization)
    .where('server_id', '=', serverId)
    .executeTakeFirst()
  return (
    row && {
      stateAtMs: row.state_at_ms,
      filesystems: row.filesystems as Filesystem[],
      interfaces: row.interfaces as NetworkInterface[],
      host: row.host as HostState,
    }
  )
}

/** The parts of a state. A push may omit any of them. */
export const STATE_PARTS = ['filesystems', 'interfaces', 'host'] as const
export type StatePart = (typeof STATE_PARTS)[number]

/** State newer than the stored one, without the parts that were not reported since. */
export type FreshState = Pick<ServerState, 'stateAtMs'> & Partial<Pick<ServerState, StatePart>>

/** The newest state of a server from stored and unstored data; undefined where none was ever reported. */
export async function readState(
  db: Db,
  organization: number,
  serverId: string,
  fresh: FreshState | undefined,
): Promise<ServerState | undefined> {
  if (fresh && isWhole(fresh)) return fresh
  const stored = await findState(db, organization, serverId)
  if (!fresh || (stored && stored.stateAtMs > fresh.stateAtMs)) return stored
  return { ...EMPTY_STATE, ...stored, ...fresh }
}

const EMPTY_STATE = { filesystems: [], interfaces: [], host: {} }

const isWhole = (fresh: FreshState): fresh is ServerState => STATE_PARTS.every((part) => fresh[part] !== undefined)

export interface StateChange {
  organization: number
  serverId: string
  stateAtMs: number
  /** As JSON. Absent parts stay unchanged. */
  parts: Partial<Record<StatePart, string>>
}

/**
 * Placeholder for a part that was not reported. The upsert replaces it with the stored part, read under the row lock, because
 * another instance may update the row after this statement starts. A server without a stored state gets the empty part.
 */
const UNREPORTED_PART = sql`'null'::jsonb`
const orUnreported = (empty: '[]' | '{}') =>
  sql`case when known.server_id is null then ${sql.lit(empty)}::jsonb else ${UNREPORTED_PART} end`
const newer = (part: StatePart) => {
  const [given, stored] = [sql.ref(`excluded.${part}`), sql.ref(`state.${part}`)]
  return sql`case when excluded.state_at_ms >= state.state_at_ms and ${given} <> ${UNREPORTED_PART} then ${given} else ${stored} end`
}

/** Stores states of many servers in one statement. An older state never replaces a newer one. Skips deleted servers. */
export async function upsertStates(db: Db, changes: readonly StateChange[]): Promise<void> {
  const column = <T>(pick: (change: StateChange) => T) => changes.map(pick)
  await sql`
    insert into server_state as state (organization, server_id, state_at_ms, filesystems, interfaces, host)
    select given.organization, given.server_id, given.state_at_ms,
      coalesce(given.filesystems::jsonb, ${orUnreported('[]')}), coalesce(given.interfaces::jsonb, ${orUnreported('[]')}),
      coalesce(given.host::jsonb, ${orUnreported('{}')})
    from unnest(
      ${column((change) => change.organization)}::int[],
      ${column((change) => change.serverId)}::uuid[],
      ${column((change) => change.stateAtMs)}::bigint[],
      ${column(({ parts }) => parts.filesystems ?? null)}::text[],
      ${column(({ parts }) => parts.interfaces ?? null)}::text[],
      ${column(({ parts }) => parts.host ?? null)}::text[]
    ) as given (organization, server_id, state_at_ms, filesystems, interfaces, host)
    join server on server.organization = given.organization and server.id = given.server_id
    left join server_state as known on known.organization = given.organization and known.server_id = given.server_id
    -- One order for all instances: concurrent writers of the same servers cannot deadlock.
    order by given.organization, given.server_id
    on conflict (organization, server_id) do update set
      state_at_ms = greatest(state.state_at_ms, excluded.state_at_ms),
      filesystems = ${newer('filesystems')},
      interfaces = ${newer('interfaces')},
      host = ${newer('host')}`.execute(db)
}
