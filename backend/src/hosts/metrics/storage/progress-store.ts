import { sql } from 'kysely'
import { createProgressStore, type Db } from '../../../platform/db/index.ts'
import type { ServerKey } from './keys.ts'

/** Class of the advisory lock of the progress: only one transaction at a time moves it on. */
const HOUR_LOCK = 730_525
/** Class of the advisory locks of servers: only one transaction at a time compacts samples of a server. */
const SERVER_LOCK = 730_531

export const { lockHour, lockDay, readProgress, setProgress } = createProgressStore('metric_progress', HOUR_LOCK)

/** Those of the servers that no other transaction works at; they are locked until the end of this one. */
export async function claimServers<Key extends ServerKey>(db: Db, servers: readonly Key[]): Promise<Key[]> {
  const { rows } = await sql<{ server: number }>`
    select server from unnest(${servers.map(({ server }) => server)}::int4[]) as server
    where pg_try_advisory_xact_lock(${SERVER_LOCK}, server)`.execute(db)
  const claimed = new Set(rows.map(({ server }) => server))
  return servers.filter(({ server }) => claimed.has(server))
}

/** Waits until no other transaction works at the servers, and locks them until the end of this one. */
export async function lockServers(db: Db, servers: readonly ServerKey[]): Promise<void> {
  const ordered = servers.map(({ server }) => server).sort((one, other) => one - other)
  await sql`select pg_advisory_xact_lock(${SERVER_LOCK}, server) from unnest(${ordered}::int4[]) as server`.execute(db)
}
