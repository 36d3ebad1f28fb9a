import { sql } from 'kysely'
import PQueue from 'p-queue'
import { isDistributed } from './distributed.ts'
import { isCanceled, isNodeAway } from './lost-connection.ts'
import { findNodes } from './nodes.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/** What one node may delay the others' answers by. */
export const NODE_LIMIT_MS = 2_000
/** A part of the pool: requests need connections too. */
const ORGANIZATIONS_AT_ONCE = 4

/**
 * Runs all questions in one query, or one query per organization where the tables are distributed: a node refuses the newest rows
 * of several organizations. `query` receives that organization, must use it as a value, and answers in the order of its questions.
 * Undefined where the node of the organization is away or does not answer within 2 s, also for the organizations of that node that
 * are not queried yet; the other organizations get theirs.
 */
export async function queryByOrganization<Question extends { organization: number }, Answer>(
  db: Db,
  questions: readonly Question[],
  query: (db: Db, questions: readonly Question[], organization: number | undefined) => Promise<Answer[]>,
): Promise<(Answer | undefined)[]> {
  if (!(await isDistributed(db))) return query(db, questions, undefined)
  const byQuestion = new Map<Question, Answer | undefined>()
  const organizations = [...Map.groupBy(questions, (question) => question.organization)]
  const nodes = await findNodes(
    db,
    organizations.map(([organization]) => organization),
  )
  const away = new Set<string>()
  const queryOne = async ([organization, own]: readonly [number, readonly Question[]]): Promise<void> => {
    const node = nodes.get(organization) as string
    if (away.has(node)) return
    const results = await answerOfNode(db, (limited) => query(limited, own, organization))
    if (!results) away.add(node)
    for (const [index, question] of own.entries()) byQuestion.set(question, results?.[index])
  }
  await new PQueue({ concurrency: db.isTransaction ? 1 : ORGANIZATIONS_AT_ONCE }).addAll(
    organizations.map((one) => () => queryOne(one)),
  )
  return questions.map((question) => byQuestion.get(question))
}

/** The limit is one of the server: what it cancels leaves neither a connection nor a statement behind, and a transaction goes on. */
async function answerOfNode<Answer>(db: Db, query: (db: Db) => Promise<Answer>): Promise<Answer | undefined> {
  const queryLimited = async (limited: Db): Promise<Answer> => {
    const { rows } = await sql<{ former: string }>`
      select current_setting('statement_timeout') as former, set_config('statement_timeout', ${String(NODE_LIMIT_MS)}, true)`.execute(
      limited,
    )
    const answer = await query(limited)
    if (db.isTransaction) await sql`select set_config('statement_timeout', ${rows[0]?.former}, true)`.execute(db)
    return answer
  }
  try {
    return await (db.isTransaction ? inTransaction(db, queryLimited) : db.transaction().execute(queryLimited))
  } catch (error) {
    if (isNodeAway(error) || isCanceled(error)) return undefined
    throw error
  }
}
