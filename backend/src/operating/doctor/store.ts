import type { ChannelFault } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** `18.1 (Debian …)`. */
export async function readVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
  return rows[0]?.version ?? 'unknown'
}

/** The clock of the database, ms. */
export async function readTime(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db)
  return rows[0]?.ms ?? Number.NaN
}

/** Whether the server is a replica, and by how much it is behind; undefined where it has applied nothing yet. */
export async function readReplica(db: Db): Promise<{ isReplica: boolean; lagMs: number | undefined }> {
  const { rows } = await sql<{ is_replica: boolean; lag: number | null }>`
    select pg_is_in_recovery() as is_replica,
      case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000 end as lag`.execute(db)
  return { isReplica: rows[0]?.is_replica === true, lagMs: rows[0]?.lag ?? undefined }
}

export interface FailingChannel {
  name: string
  type: string
  organization: string
  fault: ChannelFault
}

/** The enabled channels of the installation whose last delivery failed, longest failing first. */
export async function listFailingChannels(db: Db, limit: number): Promise<FailingChannel[]> {
  const { rows } = await sql<FailingChannel>`
    select channel.name, channel.type, organization.name as organization, channel.last_error as fault
    from channel join organization on organization.number = channel.organization
    where channel.enabled and channel.last_error is not null and channel.deleted_at is null
    order by channel.last_error ->> 'at', channel.id limit ${limit}`.execute(db)
  return rows
}
