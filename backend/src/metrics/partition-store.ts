import { sql } from 'kysely'
import { type Db, inTransaction } from '../platform/db/index.ts'

const DAY_MS = 86_400_000
const NAME = /^metric_push_(\d{4})(\d{2})(\d{2})$/

/** Any number: it names the lock of the partitions among the advisory locks of the database. */
const PARTITIONS_LOCK = 7_305_220_119

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Makes the partitions of the days of receipt from yesterday on, so many days ahead. Safe at several instances at once. */
export async function createPartitions(db: Db, nowMs: number, daysAhead: number): Promise<void> {
  for (let day = -1; day <= daysAhead; day += 1) {
    const from = toDay(nowMs + day * DAY_MS)
    const to = toDay(nowMs + (day + 1) * DAY_MS)
    await inTransaction(db, (transaction) => createPartition(transaction, from, to))
  }
}

async function createPartition(db: Db, from: string, to: string): Promise<void> {
  // Two that create one table at once both find it missing, and the second fails, "if not exists" or not.
  await sql`select pg_advisory_xact_lock(${PARTITIONS_LOCK})`.execute(db)
  const name = `metric_push_${from.replaceAll('-', '')}`
  await sql`create table if not exists ${sql.table(name)} partition of metric_push for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(
    db,
  )
}

/** Days of receipt for which a partition stands, as `YYYY-MM-DD`, oldest first. */
export async function listPartitionDays(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'metric_push'::regclass order by 1`.execute(db)
  return rows.flatMap(({ name }) => {
    const match = NAME.exec(name)
    return match ? [`${match[1]}-${match[2]}-${match[3]}`] : []
  })
}

/** Drops a day of receipt with all that was received in it. */
export async function dropPartition(db: Db, day: string): Promise<void> {
  await sql`drop table if exists ${sql.table(`metric_push_${day.replaceAll('-', '')}`)}`.execute(db)
}
