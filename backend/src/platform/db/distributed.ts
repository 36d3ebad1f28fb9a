import { type Kysely, sql } from 'kysely'
import PQueue from 'p-queue'
import { isCanceled, isNodeAway } from './lost-connection.ts'
import type { Database } from './schema.ts'

type Db = Kysely<Database>

/**
 * The growing tables, which citus can distribute over nodes by organization. All others stay on the coordinator: queries of both
 * kinds need a separate form there.
 */
export const DISTRIBUTED = ['metric_push', 'metric_hour', 'metric_day', 'check_result', 'check_hour', 'check_day'] as const

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

/** What one node may delay the others' answers by. */
export const NODE_LIMIT_MS = 2_000
/** A part of the pool: requests need connections too. */
const ORGANIZATIONS_AT_ONCE = 4

/**
 * Runs all questions in one query, or one query per organization where the tables are distributed: a node refuses the newest rows
 * of several organizations. `query` receives that organization, must use it as a value, and answers in the order of its questions.
 * Undefined where the node of the organization is away or does not answer within 2 s; the other organizations get theirs.
 */
export async function queryByOrganization<Question extends { organization: number }, Answer>(
  db: Db,
  questions: readonly Question[],
  query: (db: Db, questions: readonly Question[], organization: number | undefined) => Promise<Answer[]>,
): Promise<(Answer | undefined)[]> {
  if (!(await isDistributed(db))) return query(db, questions, undefined)
  const byQuestion = new Map<Question, Answer | undefined>()
  const queryOne = async ([organization, own]: readonly [number, readonly Question[]]): Promise<void> => {
    const results = await answerOfNode(db, (limited) => query(limited, own, organization))
    for (const [index, question] of own.entries()) byQuestion.set(question, results?.[index])
  }
  const organizations = [...Map.groupBy(questions, (question) => question.organization)]
  await new PQueue({ concurrency: ORGANIZATIONS_AT_ONCE }).addAll(organizations.map((one) => () => queryOne(one)))
  return questions.map((question) => byQuestion.get(question))
}

/** The limit is one of the server: what it cancels leaves neither a connection nor a statement behind. */
async function answerOfNode<Answer>(db: Db, query: (db: Db) => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await db.transaction().execute(async (limited) => {
      await sql`select set_config('statement_timeout', ${String(NODE_LIMIT_MS)}, true)`.execute(limited)
      return query(limited)
    })
  } catch (error) {
    if (isNodeAway(error) || isCanceled(error)) return undefined
    throw error
  }
}
