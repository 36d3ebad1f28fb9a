import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './pool.ts'

export interface PageRequest {
  /** From 1. */
  page: number
  limit: number
}

/**
 * One page of a query's rows and the number of all of them, of one instant; a page past the end is empty with the true total.
 * `order` names columns of the query's result, and must leave no ties.
 */
export async function readPage<DB, Tables extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Tables, Row>,
  order: RawBuilder<unknown>,
  { page, limit }: PageRequest,
): Promise<{ total: number; rows: Row[] }> {
  const result = await sql<{ total: number; is_row: true | null } & Row>`
    with matching as ${query}
    select counted.total, item.*
    from (select count(*) as total from matching) as counted
    left join lateral (
      select true as is_row, * from matching order by ${order} limit ${limit} offset ${(page - 1) * limit}
    ) as item on true
    order by ${order}`.execute(db)
  const total = result.rows[0]?.total ?? 0
  return { total, rows: result.rows.filter((row) => row.is_row) }
}
