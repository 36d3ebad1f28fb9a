import { sql } from 'kysely'
import type { Log } from '../logging/log.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/** The partitions of a table that is partitioned by time: how many exist ahead, and when they are dropped. Periods are in UTC. */
export interface PartitionPlan {
  table: string
  period: 'day' | 'month'
  /** Number of past periods that must exist, for late rows. */
  behind: number
  /** Number of future periods that must exist: the job may fail for that long before rows are refused. */
  ahead: number
  /** A partition is dropped when its whole range is older and it is not one of `behind`. */
  retentionMs: number
  /** Rows are inserted and dropped within days: vacuuming what is inserted would write every page to the log once more. */
  isShortLived?: boolean
}

/** An arbitrary number: together with the table it identifies an advisory lock. */
const PARTITION_LOCK = 730_522

/**
 * Creates the missing partitions and drops those past the retention; returns the periods that it dropped itself, oldest first.
 * Several instances may run it at once. It changes and locks nothing when nothing is due.
 */
export async function keepPartitions(db: Db, plan: PartitionPlan, nowMs: number): Promise<string[]> {
  const existing = await listPartitions(db, plan)
  const wanted = Array.from({ length: plan.behind + 1 + plan.ahead }, (_, index) => startOf(plan, nowMs, index - plan.behind))
  if (wanted.some((start) => !existing.has(nameOf(plan, start)))) await createPartitions(db, plan, wanted)
  return dropOld(db, plan, existing, Math.min(nowMs - plan.retentionMs, startOf(plan, nowMs, -plan.behind).getTime()))
}

/** The same for several tables, one after the other; logs what it dropped. */
export async function keepTables(db: Db, log: Log, plans: readonly PartitionPlan[], nowMs: number): Promise<void> {
  for (const plan of plans)
    for (const period of await keepPartitions(db, plan, nowMs))
      log.info({ table: plan.table, period }, 'dropped a partition that is past the retention')
}

/** Creates those that are missing for rows of these instants, ms, which may be long ago: the next run drops those past the retention. */
export async function addPartitions(db: Db, plan: PartitionPlan, instants: Iterable<number>): Promise<void> {
  const starts = new Map([...instants].map((ms) => [partitionOf(plan, ms), startOf(plan, ms, 0)]))
  const existing = await listPartitions(db, plan)
  const missing = [...starts].flatMap(([name, start]) => (existing.has(name) ? [] : [start]))
  if (missing.length > 0) await createPartitions(db, plan, missing)
}

/** State of a partitioned table. */
export interface PartitionState {
  table: string
  count: number
  /** Start of the oldest partition, ms; undefined without partitions. */
  fromMs: number | undefined
  /** End of the gapless partitions from now on, ms; undefined when the current period has none. */
  untilMs: number | undefined
  /** Fewer future partitions exist than the job leaves when it runs several times per period. */
  isLate: boolean
}

/** Reads the states without changes, in the order of the plans. */
export async function readPartitions(
  db: Db,
  plans: readonly Pick<PartitionPlan, 'table' | 'period' | 'ahead'>[],
  nowMs: number,
): Promise<PartitionState[]> {
  const names = await listChildren(
    db,
    plans.map(({ table }) => table),
  )
  return plans.map((plan) => stateOf(plan, startsOf(plan, names), nowMs))
}

function stateOf(
  plan: Pick<PartitionPlan, 'table' | 'period' | 'ahead'>,
  existing: ReadonlyMap<string, Date>,
  nowMs: number,
): PartitionState {
  let ahead = 0
  while (existing.has(nameOf(plan, startOf(plan, nowMs, ahead)))) ahead += 1
  const [oldest] = existing.values()
  return {
    table: plan.table,
    count: existing.size,
    fromMs: oldest?.getTime(),
    untilMs: ahead === 0 ? undefined : startOf(plan, nowMs, ahead).getTime(),
    // `ahead` includes the current period: right after a period begins, the job has not run yet.
    isLate: ahead < plan.ahead,
  }
}

/** Start of the period that is `offset` periods after that of the instant. */
function startOf({ period }: Pick<PartitionPlan, 'period'>, ms: number, offset: number): Date {
  const at = new Date(ms)
  const [month, day] = period === 'day' ? [0, at.getUTCDate() + offset] : [offset, 1]
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + month, day))
}

/** `2026-11-20` or `2026-11`. */
const labelOf = ({ period }: Pick<PartitionPlan, 'period'>, start: Date): string =>
  start.toISOString().slice(0, period === 'day' ? 10 : 7)

const nameOf = (plan: Pick<PartitionPlan, 'table' | 'period'>, start: Date): string =>
  `${plan.table}_${labelOf(plan, start).replaceAll('-', '')}`

/** The name of the partition with this instant. */
export const partitionOf = (plan: Pick<PartitionPlan, 'table' | 'period'>, ms: number): string =>
  nameOf(plan, startOf(plan, ms, 0))

/** Makes the room of replaced rows in these partitions available to others. Not in a transaction. */
export async function vacuum(db: Db, partitions: readonly string[]): Promise<void> {
  for (const name of partitions) {
    const { rows } =
      await sql`select from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`.execute(db)
    if (rows.length > 0) await sql`vacuum ${sql.table(name)}`.execute(db)
  }
}

/** The starts of the existing partitions by name, oldest first. Ignores tables with other names. */
const listPartitions = async (db: Db, plan: PartitionPlan): Promise<Map<string, Date>> =>
  startsOf(plan, await listChildren(db, [plan.table]))

async function listChildren(db: Db, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = any(${tables}::regclass[]) order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

function startsOf(plan: Pick<PartitionPlan, 'table' | 'period'>, names: readonly string[]): Map<string, Date> {
  const starts = names.flatMap((name): [string, Date][] => {
    const [, year, month, day = '01'] = /_(\d{4})(\d{2})(\d{2})?$/.exec(name) ?? []
    const start = new Date(`${year}-${month}-${day}T00:00:00Z`)
    return !Number.isNaN(start.getTime()) && nameOf(plan, start) === name ? [[name, start]] : []
  })
  return new Map(starts)
}

/**
 * Runs `change` with the current partitions while no other instance changes them. Without the lock, two instances that create the
 * same partition fail, even with `if not exists`; so do two that drop it: the second still finds the partition in the catalogue, but
 * not its parent ("could not find tuple for parent of relation").
 */
function changing<T>(
  db: Db,
  plan: PartitionPlan,
  change: (db: Db, existing: ReadonlyMap<string, Date>) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${PARTITION_LOCK}, hashtext(${plan.table}))`.execute(transaction)
    return change(transaction, await listPartitions(transaction, plan))
  })
}

/** Blocks creating and dropping partitions of these tables until the transaction ends; the waiting process holds no other lock. */
export async function lockPartitions(db: Db, tables: readonly string[]): Promise<void> {
  // One by one, because each may wait.
  for (const table of tables) await sql`select pg_advisory_xact_lock_shared(${PARTITION_LOCK}, hashtext(${table}))`.execute(db)
}

function createPartitions(db: Db, plan: PartitionPlan, starts: readonly Date[]): Promise<void> {
  return changing(db, plan, async (transaction, existing) => {
    for (const start of starts.filter((start) => !existing.has(nameOf(plan, start)))) {
      const end = startOf(plan, start.getTime(), 1)
      await sql`create table ${sql.table(nameOf(plan, start))} partition of ${sql.table(plan.table)}
        for values from (${boundOf(start)}) to (${boundOf(end)})
        ${plan.isShortLived ? sql`with (autovacuum_vacuum_insert_threshold = -1)` : sql``}`.execute(transaction)
    }
  })
}

/** With a zone: a timestamp column would read a bare day in the zone of the session. A date column drops the time. */
const boundOf = (start: Date) => sql.lit(`${start.toISOString().slice(0, 10)} 00:00:00+00`)

async function dropOld(db: Db, plan: PartitionPlan, existing: ReadonlyMap<string, Date>, beforeMs: number): Promise<string[]> {
  const dropped: string[] = []
  for (const [name, start] of existing) {
    if (startOf(plan, start.getTime(), 1).getTime() > beforeMs) break
    if (await dropPartition(db, plan, name)) dropped.push(labelOf(plan, start))
  }
  return dropped
}

/** False when another instance dropped it. One partition per transaction, because the table is locked until it ends. */
function dropPartition(db: Db, plan: PartitionPlan, name: string): Promise<boolean> {
  return changing(db, plan, async (transaction, existing) => {
    if (!existing.has(name)) return false
    await sql`drop table ${sql.table(name)}`.execute(transaction)
    return true
  })
}
