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

/** Rows that come before those of the next class, ordered among themselves. */
export interface RowClass {
  /** How many rows it has. */
  count: RawBuilder<unknown>
  /** Tables and conditions of its rows. */
  from: RawBuilder<unknown>
}

/**
 * A statement that selects columns of a page's rows, class by class. Each class is read in its order only as far as the page reaches
 * into it, by an index where it is large; to sort all rows by class and name takes 100 ms for 20,000.
 */
export function selectByClass(
  classes: readonly RowClass[],
  columns: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  { page, limit }: PageRequest,
): RawBuilder<unknown> {
  const offset = (page - 1) * limit
  const sizes = classes.map(({ count }, index) => sql`(${count}) as ${sql.ref(`size_${index}`)}`)
  /** How many rows the first classes have. */
  const sizeOf = (count: number) =>
    sql`(select ${sql.join([sql`0`, ...classes.slice(0, count).map((_, index) => sql.ref(`size_${index}`))], sql` + `)} from sizes)`
  const parts = classes.map(({ from }, index) => {
    const [start, end] = [sizeOf(index), sizeOf(index + 1)]
    return sql`(select ${columns}, ${sql.lit(index)} as class ${from} order by ${order}
      limit greatest(0, least(${end}, ${offset + limit}) - greatest(${start}, ${offset})) offset greatest(0, ${offset} - ${start}))`
  })
  return sql`with sizes as materialized (select ${sql.join(sizes)}) ${sql.join(parts, sql` union all `)}`
}
