import type { Db } from './pool.ts'

// The query builder exports neither type.
declare const name: Parameters<Exclude<Parameters<Db['with']>[0], string>>[0]
type Part<Name extends string> = ReturnType<typeof name<Name>>

/**
 * For `with`: a part of a statement that runs once. A subquery may run for each row, where Postgres holds a table for small; with a
 * limit and `skip locked` it then takes the next rows each time, past the limit.
 */
export const materialized =
  <Name extends string>(part: Name) =>
  (build: typeof name): Part<Name> =>
    build(part).materialized()
