import type { PageRequest } from '../db/index.ts'

/** The query of a list after its validation, which fills in the defaults of the schema. */
export const pageOf = <Query extends Partial<PageRequest>>(query: Query) => query as Query & PageRequest
