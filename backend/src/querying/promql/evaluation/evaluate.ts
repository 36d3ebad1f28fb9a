import { executionError } from '../error.ts'
import type { Bounds, QueryPlan, QueryResult, SeriesData } from '../types.ts'

/** Computes a query from the series of its selections, by their id. Throws a PromqlError. */
export function evaluate(plan: QueryPlan, _data: ReadonlyMap<number, readonly SeriesData[]>, _bounds: Bounds = {}): QueryResult {
  throw executionError(`${plan.expression} cannot be evaluated yet`)
}
