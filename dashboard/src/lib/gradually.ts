import { useDeferredValue } from 'react'

/** More than a screen holds. */
const FIRST = 20

/** The rows of a screen at once and the others right behind, without holding the page: nobody sees most of a hundred. */
export function useGradually<Row>(rows: readonly Row[]): readonly Row[] {
  return useDeferredValue(rows, rows.slice(0, FIRST))
}
