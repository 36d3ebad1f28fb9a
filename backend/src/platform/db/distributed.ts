import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

type Db = Kysely<Database>

/**
 * The growing tables, which citus can distribute over nodes by organization. All others stay on the coordinator: queries of both
 * kinds need a separate form there.
 */
export const DISTRIBUTED = [
  'metric_push',
  'metric_hour',
  'metric_samples',
  'metric_day',
  'check_result',
  'check_hour',
  'check_day',
  'ping',
  'entity_chunk',
] as const

/** By an object that a pool shares with its transactions. */
const answers = new WeakMap<object, boolean>()
const keyOf = (db: Db): object => db.getExecutor().adapter

/** For a database that has no extensions, and for tests. */
export function markDistributed(db: Db, isOnNodes: boolean): void {
  answers.set(keyOf(db), isOnNodes)
}

/** Whether those tables are on nodes. Cached: all instances are stopped before the tables are distributed. */
export async function isDistributed(db: Db): Promise<boolean> {
  const cached = answers.get(keyOf(db))
  if (cached !== undefined) return cached
  const isOnNodes = (await hasCitus(db)) && (await tablesOnNodes(db)).includes(DISTRIBUTED[0])
  answers.set(keyOf(db), isOnNodes)
  return isOnNodes
}

export async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Tables on nodes, distributed or whole, without partitions. Requires the extension. */
export async function tablesOnNodes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where not relispartition and relnamespace = current_schema()::regnamespace
      and (partmethod = 'h' or (partmethod = 'n' and repmodel = 't'))
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}
