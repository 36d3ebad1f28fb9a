import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

type Db = Kysely<Database>

/**
 * The tables whose bytes grow, which citus can spread over nodes by their organization. All others stay on the coordinator: what
 * asks both at once needs a form of its own there.
 */
export const DISTRIBUTED = ['metric_push', 'metric_hour', 'metric_day', 'check_result', 'check_hour', 'check_day'] as const

/** By what all that stems from one pool shares, its transactions included. */
const answers = new WeakMap<object, boolean>()
const keyOf = (db: Db): object => db.getExecutor().adapter

/** For a database that has no extensions. */
export function noteUndistributed(db: Db): void {
  answers.set(keyOf(db), false)
}

/** Whether those tables lie on nodes. Looked up once: whoever distributes them stops all that runs before. */
export async function isDistributed(db: Db): Promise<boolean> {
  const known = answers.get(keyOf(db))
  if (known !== undefined) return known
  const found = (await hasCitus(db)) && (await placedTables(db)).includes(DISTRIBUTED[0])
  answers.set(keyOf(db), found)
  return found
}

export async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Tables that lie on nodes, spread or whole, without partitions. Only where the extension is. */
export async function placedTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where not relispartition and relnamespace = current_schema()::regnamespace
      and (partmethod = 'h' or (partmethod = 'n' and repmodel = 't'))
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Asks all questions at once; where the tables are distributed those of each organization by themselves, since a node answers what
 * names one organization and refuses the newest rows of several. `ask` is given that organization and must name it as a value; it
 * answers in the order of its questions.
 */
export async function askByOrganization<Question extends { organization: number }, Answer>(
  db: Db,
  questions: readonly Question[],
  ask: (questions: readonly Question[], organization: number | undefined) => Promise<Answer[]>,
): Promise<Answer[]> {
  if (!(await isDistributed(db))) return ask(questions, undefined)
  const found = new Map<Question, Answer | undefined>()
  for (const [organization, own] of Map.groupBy(questions, (question) => question.organization)) {
    const told = await ask(own, organization)
    for (const [index, question] of own.entries()) found.set(question, told[index])
  }
  return questions.map((question) => found.get(question) as Answer)
}
