import type { Process } from '@vedette/shared'
import { type Cursor, readVarint, Room, writeVarint } from '@vedette/shared/metrics/block'
import { sql } from 'kysely'
import { binaryArray, type Db, isUniqueViolation } from '../../platform/db/index.ts'
import { dayOf } from '../../platform/time/day.ts'

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
  // Of one key the last entry stays: here the first.
  const first = [...new Map(rows.toReversed().map((row) => [`${row.serverId}/${row.atMs}`, row])).values()]
  try {
    await insertNewLists(db, first)
  } catch (error) {
    // Another instance has stored one of them in the same moment; now it is there.
    if (!isUniqueViolation(error)) throw error
    await insertNewLists(db, first)
  }
}

/** Lists that are there are looked for and not left to `on conflict`, which logs each row twice. */
async function insertNewLists(db: Db, rows: readonly ProcessListRow[]): Promise<void> {
  const column = <T>(pick: (row: ProcessListRow) => T) => rows.map(pick)
  await sql`
    insert into process_list (organization, server, at_ms, day, processes)
    select given.organization, server.number, given.at_ms, given.day, given.processes
    from unnest(
      ${binaryArray.int4(column((row) => row.organization))}::int[],
      ${binaryArray.uuid(column((row) => row.serverId))}::uuid[],
      ${binaryArray.int8(column((row) => row.atMs))}::bigint[],
      ${column((row) => dayOf(row.atMs))}::date[],
      ${binaryArray.bytea(column((row) => encode(row.processes)))}::bytea[]
    ) as given (organization, server_id, at_ms, day, processes)
    join server on server.organization = given.organization and server.id = given.server_id
    where not exists (
      select from process_list as stored where stored.organization = given.organization and stored.server = server.number
        and stored.at_ms = given.at_ms and stored.day = given.day
    )`.execute(db)
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
  const { rows } = await sql<{ at_ms: number; processes: Buffer }>`
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

const room = new Room(4_096)
const MAX_NUMBER_BYTES = 8
/** Processes have whole hundredths of a percent. */
const PERCENT_SCALE = 100

/** Of each process: pid, length and bytes of the name, (CPU + 1, or 0) × 2 + whether there is a memory, the memory; numbers as varints. */
function encode(processes: readonly Process[]): Buffer {
  const names = processes.map(({ name }) => Buffer.from(name))
  const out = room.of(names.reduce((sum, name) => sum + 4 * MAX_NUMBER_BYTES + name.length, 0))
  let end = 0
  for (const [index, { pid, cpu_percent, memory_bytes }] of processes.entries()) {
    const name = names[index] as Buffer
    end = writeVarint(out, writeVarint(out, end, pid), name.length)
    out.set(name, end)
    const cpu = cpu_percent === null ? 0 : Math.round(cpu_percent * PERCENT_SCALE) + 1
    end = writeVarint(out, end + name.length, cpu * 2 + (memory_bytes === null ? 0 : 1))
    if (memory_bytes !== null) end = writeVarint(out, end, memory_bytes)
  }
  return Buffer.from(out.subarray(0, end))
}

function decode(bytes: Buffer): Process[] {
  const cursor: Cursor = { bytes, at: 0 }
  const processes: Process[] = []
  while (cursor.at < bytes.length) {
    const pid = readVarint(cursor)
    const nameEnd = readVarint(cursor) + cursor.at
    const name = bytes.toString('utf8', cursor.at, nameEnd)
    cursor.at = nameEnd
    const known = readVarint(cursor)
    const cpu = known >> 1
    const memory_bytes = known % 2 === 0 ? null : readVarint(cursor)
    processes.push({ pid, name, cpu_percent: cpu === 0 ? null : (cpu - 1) / PERCENT_SCALE, memory_bytes })
  }
  return processes
}
