import { useDeferredValue } from 'react'

/** More rows than a screen shows. */
const FIRST = 20

/** Renders the first rows at once and the others in a deferred pass, which does not block input. */
export function useDeferredRows<Row>(rows: readonly Row[]): readonly Row[] {
  return useDeferredValue(rows, rows.slice(0, FIRST))
}
