import { sql } from 'kysely'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/** How a table that is partitioned by a range of time is kept: what stands ready, and what goes. Periods are those of UTC. */
export interface PartitionPlan {
  table: string
  period: 'day' | 'month'
  /** Periods before the one under way that must be there as well: rows may be late. */
  behind: number
  /** Periods made ahead: a row without a partition is refused, so that the job may fail for so long. */
  ahead: number
  /** A partition goes when all that it can hold is older, and it is none of those behind. */
  retentionMs: number
}

/** Any number: with the table's own it names a lock among the advisory locks of the database. */
const PARTITION_LOCK = 730_522

/**
 * Makes the partitions that are missing and drops those past the retention; gives the periods that it dropped itself, oldest first.
 * Safe at several instances at once; changes and locks nothing when all is as it should be.
 */
export async function keepPartitions(db: Db, plan: PartitionPlan, nowMs: number): Promise<string[]> {
  const standing = await listPartitions(db, plan)
  const wanted = Array.from({ length: plan.behind + 1 + plan.ahead }, (_, index) => startOf(plan, nowMs, index - plan.behind))
  if (wanted.some((start) => !standing.has(nameOf(plan, start)))) await createPartitions(db, plan, wanted)
  return dropOld(db, plan, standing, Math.min(nowMs - plan.retentionMs, startOf(plan, nowMs, -plan.behind).getTime()))
}

/** What stands of a table that is kept by a plan. */
export interface PartitionState {
  table: string
  count: number
  /** Where the oldest begins, ms; undefined without any. */
  fromMs: number | undefined
  /** Rows of every instant from now until then have a place, ms; undefined when not even those of now have one. */
  untilMs: number | undefined
  /** Fewer stand ahead than a job that runs several times a period ever leaves. */
  isLate: boolean
}

/** Reads and changes nothing. */
export async function readPartitions(db: Db, plan: PartitionPlan, nowMs: number): Promise<PartitionState> {
  const standing = await listPartitions(db, plan)
  let ahead = 0
  while (standing.has(nameOf(plan, startOf(plan, nowMs, ahead)))) ahead += 1
  const [oldest] = standing.values()
  return {
    table: plan.table,
    count: standing.size,
    fromMs: oldest?.getTime(),
    untilMs: ahead === 0 ? undefined : startOf(plan, nowMs, ahead).getTime(),
    // The period under way stands too; right after a change of periods the job has not come yet.
    isLate: ahead < plan.ahead,
  }
}

/** The first instant of the period that lies so many periods from that of the instant. */
function startOf({ period }: PartitionPlan, ms: number, offset: number): Date {
  const at = new Date(ms)
  const [month, day] = period === 'day' ? [0, at.getUTCDate() + offset] : [offset, 1]
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + month, day))
}

/** `2026-11-20` or `2026-11`. */
const labelOf = ({ period }: PartitionPlan, start: Date): string => start.toISOString().slice(0, period === 'day' ? 10 : 7)

const nameOf = (plan: PartitionPlan, start: Date): string => `${plan.table}_${labelOf(plan, start).replaceAll('-', '')}`

/** The first instants of the partitions that stand, by their names, oldest first. Tables with names of another kind are left alone. */
async function listPartitions(db: Db, plan: PartitionPlan): Promise<Map<string, Date>> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = ${plan.table}::regclass order by 1`.execute(db)
  const starts = rows.flatMap(({ name }): [string, Date][] => {
    const [, year, month, day = '01'] = /_(\d{4})(\d{2})(\d{2})?$/.exec(name) ?? []
    const start = new Date(`${year}-${month}-${day}T00:00:00Z`)
    return !Number.isNaN(start.getTime()) && nameOf(plan, start) === name ? [[name, start]] : []
  })
  return new Map(starts)
}

/**
 * Runs `change` with the partitions as they are while no other instance changes them. Two that make the same partition would
 * fail each other, `if not exists` or not; so would two that drop it: the second finds the partition still in its catalogue and
 * no parent of it ("could not find tuple for parent of relation").
 */
function changing<T>(
  db: Db,
  plan: PartitionPlan,
  change: (db: Db, standing: ReadonlyMap<string, Date>) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${PARTITION_LOCK}, hashtext(${plan.table}))`.execute(transaction)
    return change(transaction, await listPartitions(transaction, plan))
  })
}

/** Whoever makes or drops partitions of these tables waits until the transaction ends, and holds nothing meanwhile. */
export async function holdPartitions(db: Db, tables: readonly string[]): Promise<void> {
  // One after the other: all are waited for.
  for (const table of tables) await sql`select pg_advisory_xact_lock_shared(${PARTITION_LOCK}, hashtext(${table}))`.execute(db)
}

function createPartitions(db: Db, plan: PartitionPlan, starts: readonly Date[]): Promise<void> {
  return changing(db, plan, async (transaction, standing) => {
    for (const start of starts.filter((start) => !standing.has(nameOf(plan, start)))) {
      const end = startOf(plan, start.getTime(), 1)
      await sql`create table ${sql.table(nameOf(plan, start))} partition of ${sql.table(plan.table)}
        for values from (${boundOf(start)}) to (${boundOf(end)})`.execute(transaction)
    }
  })
}

/** With its zone: a column of instants would read a bare day in the zone of the session. A column of days cuts the rest off. */
const boundOf = (start: Date) => sql.lit(`${start.toISOString().slice(0, 10)} 00:00:00+00`)

async function dropOld(db: Db, plan: PartitionPlan, standing: ReadonlyMap<string, Date>, beforeMs: number): Promise<string[]> {
  const dropped: string[] = []
  for (const [name, start] of standing) {
    if (startOf(plan, start.getTime(), 1).getTime() > beforeMs) break
    if (await dropPartition(db, plan, name)) dropped.push(labelOf(plan, start))
  }
  return dropped
}

/** False when another instance has dropped it. One a transaction: nobody reads or writes the table until that ends. */
function dropPartition(db: Db, plan: PartitionPlan, name: string): Promise<boolean> {
  return changing(db, plan, async (transaction, standing) => {
    if (!standing.has(name)) return false
    await sql`drop table ${sql.table(name)}`.execute(transaction)
    return true
  })
}
