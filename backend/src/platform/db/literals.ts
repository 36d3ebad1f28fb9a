import { type RawBuilder, sql } from 'kysely'

/** Constants of the code as literals of a statement, for `in (…)`: the planner knows them, as it does not know parameters. */
export const literals = (values: readonly string[]): RawBuilder<unknown> => sql.join(values.map((value) => sql.lit(value)))
