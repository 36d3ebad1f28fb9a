import type { Process } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'
import { dayOf } from '../platform/time/day.ts'

/** The processes of a host at the newest sample of a batch. */
export interface ProcessList {
  atMs: number
  processes: Process[]
}

export interface ProcessListRow extends ProcessList {
  organization: number
  serverId: string
}

/** Stores lists of many servers in one statement. The first list of a server and instant wins. Skips deleted servers. */
export async function insertProcessLists(db: Db, rows: readonly ProcessListRow[]): Promise<void> {
  const column = <T>(pick: (row: ProcessListRow) => T) => rows.map(pick)
  await sql`
    insert into process_list (organization, server, at_ms, day, processes)
    select given.organization, server.number, given.at_ms, given.day, given.processes
    from unnest(
      ${column((row) => row.organization)}::int[],
      ${column((row) => row.serverId)}::uuid[],
      ${column((row) => row.atMs)}::bigint[],
      ${column((row) => dayOf(row.atMs))}::date[],
      ${column((row) => encode(row.processes))}::text[]
    ) as given (organization, server_id, at_ms, day, processes)
    join server on server.organization = given.organization and server.id = given.server_id
    on conflict (organization, server, at_ms, day) do nothing`.execute(db)
}

/** The stored list nearest to an instant since `sinceMs`. On a tie the later one. */
export async function findNearestProcesses(
  db: Db,
  organization: number,
  server: number,
  atMs: number,
  sinceMs: number,
): Promise<ProcessList | undefined> {
  const ofServer = sql`organization = ${organization} and server = ${server} and at_ms >= ${sinceMs} and day >= ${dayOf(sinceMs)}::date`
  const { rows } = await sql<{ at_ms: number; processes: string }>`
    select at_ms, processes from (
      (select at_ms, processes from process_list where ${ofServer} and at_ms <= ${atMs}::bigint order by at_ms desc limit 1)
      union all
      (select at_ms, processes from process_list where ${ofServer} and at_ms > ${atMs}::bigint order by at_ms limit 1)
    ) as nearest
    order by abs(at_ms - ${atMs}::bigint), at_ms desc limit 1`.execute(db)
  const [row] = rows
  return row && { atMs: row.at_ms, processes: decode(row.processes) }
}

/** Deletes the lists of a server, or of all servers of an organization. */
export async function deleteProcessLists(db: Db, organization: number, server?: number): Promise<void> {
  await db
    .deleteFrom('process_list')
    .where('organization', '=', organization)
    .$if(server !== undefined, (query) => query.where('server', '=', server as number))
    .execute()
}

function encode(processes: readonly Process[]): string {
  return JSON.stringify(processes.map(({ pid, name, cpu_percent, memory_bytes }) => [pid, name, cpu_percent, memory_bytes]))
}

function decode(text: string): Process[] {
  const rows = JSON.parse(text) as [number, string, number | null, number | null][]
  return rows.map(([pid, name, cpu_percent, memory_bytes]) => ({ pid, name, cpu_percent, memory_bytes }))
}
