import type pg from 'pg'

/** What a statement has cost: in all, or by push. */
export interface Statement {
  text: string
  calls: number
  ms: number
  walBytes: number
}

const LISTED = 20
const TEXT_LENGTH = 90

/** The statements of the application's database. */
export async function readStatements(database: pg.Client): Promise<Statement[]> {
  const { rows } = await database.query<Statement>(
    String.raw`select regexp_replace(query, '\s+', ' ', 'g') as text, sum(calls)::float8 as calls,
      sum(total_plan_time + total_exec_time)::float8 as ms, sum(wal_bytes)::float8 as "walBytes"
    from pg_stat_statements group by 1`,
  )
  return rows
}

/** Those that took most time in between. */
export function statementsByPush(before: readonly Statement[], after: readonly Statement[], pushes: number): Statement[] {
  const known = new Map(before.map((statement) => [statement.text, statement]))
  const byPush = (value: number, earlier = 0) => Number(((value - earlier) / pushes).toFixed(4))
  return after
    .map(({ text, calls, ms, walBytes }) => {
      const old = known.get(text)
      return {
        text: text.trim().slice(0, TEXT_LENGTH),
        calls: byPush(calls, old?.calls),
        ms: byPush(ms, old?.ms),
        walBytes: byPush(walBytes, old?.walBytes),
      }
    })
    .sort((left, right) => right.ms - left.ms)
    .slice(0, LISTED)
}
