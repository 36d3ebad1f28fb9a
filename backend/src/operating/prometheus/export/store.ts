import { UNWATCHED_STATUSES } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, literals } from '../../../platform/db/index.ts'
import type { CheckColumn } from './monitor-figures.ts'

export interface HostRow {
  number: number
  id: string
  name: string
  os: string
  kernel: string
  arch: string
  agent_version: string
  tags: string[]
  /** ISO 8601. */
  boot_time: string | null
}

const HOST_COLUMNS = sql`server.number, server.id, coalesce(display_name, hostname) as name, os, kernel, arch, agent_version, tags,
  facts ->> 'boot_time' as boot_time`

/** The servers with these numbers. */
export async function findHosts(db: Db, organization: number, numbers: readonly number[]): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    select ${HOST_COLUMNS} from server
    where organization = ${organization} and number = any(${numbers}::int4[])`.execute(db)
  return rows
}

/** Servers with all these tags whose last push came later than the instant, by number. */
export async function listHosts(
  db: Db,
  organization: number,
  tags: readonly string[],
  pushedAfterMs: number,
): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    select ${HOST_COLUMNS} from server join server_newest as newest on newest.organization = server.organization and newest.id = server.id
    where server.organization = ${organization} and newest.last_push_ms > ${pushedAfterMs}::int8
      ${tags.length === 0 ? sql`` : sql`and tags @> ${tags}::text[]`}
    order by server.number`.execute(db)
  return rows
}

export interface MonitorRow {
  number: number
  id: string
  name: string
  type: string
  url: string
  status: string
  tags: string[]
}

/** Monitors with all these tags that are not paused, by number. */
export async function listMonitors(db: Db, organization: number, tags: readonly string[]): Promise<MonitorRow[]> {
  const { rows } = await sql<MonitorRow>`
    select number, id, name, type, url, status, tags
    from monitor join monitor_status as state on state.organization = monitor.organization and state.monitor = monitor.number
    where monitor.organization = ${organization} and deleted_at is null and state.status not in (${literals(UNWATCHED_STATUSES)})
      ${tags.length === 0 ? sql`` : sql`and tags @> ${tags}::text[]`}
    order by number`.execute(db)
  return rows
}

export type NewestCheckRow = Readonly<Record<CheckColumn, number | null>> & {
  monitor: number
  region: string
  facts: Record<string, unknown> | null
}

/** By which version of IP a check reached its target; null where it did not. */
export const IP_PROTOCOL = sql`case when strpos(address, ':') > 0 then 6 when address is not null then 4 end`

/** The newest check of each region of these monitors; one that is older than `intervals` of its intervals and `graceMs` is absent. */
export async function readNewestChecks(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { nowMs, intervals, graceMs }: { nowMs: number; intervals: number; graceMs: number },
): Promise<NewestCheckRow[]> {
  // The primary key of a check, so that each is one look-up in one partition.
  const { rows } = await sql<NewestCheckRow>`
    select schedule.monitor, region.id as region, last.at, outcome, status_code as http_status, response_us, dns_us, connect_us, tls_us,
      first_byte_us, transfer_us, ${IP_PROTOCOL} as ip_protocol, facts, certificate_expires_at
    from check_schedule as schedule
    join check_result as last on last.organization = schedule.organization and last.monitor = schedule.monitor
      and last.region = schedule.region and last.at = schedule.last_checked_at
      and last.day = (to_timestamp(schedule.last_checked_at / 1000.0) at time zone 'UTC')::date
    join region on region.number = schedule.region
    where schedule.organization = ${organization} and last.organization = ${organization}
      and schedule.monitor = any(${monitors}::int4[])
      and schedule.last_checked_at >= ${nowMs - graceMs}::int8 - ${intervals * 1_000}::int8 * schedule.interval_seconds
    order by schedule.monitor, region.number`.execute(db)
  return rows
}
