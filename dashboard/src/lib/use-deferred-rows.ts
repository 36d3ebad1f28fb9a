import { startTransition, useDeferredValue, useEffect, useState } from 'react'

/** As many rows as a screen shows: a first pass with more of them blocks a phone for longer than a finger notices. */
const FIRST = 12
/** So many times more with each pass. */
const GROWTH = 3

/** Renders the first rows at once and the others in passes that do not block input, as all later changes. */
export function useDeferredRows<Row>(rows: readonly Row[]): readonly Row[] {
  const [count, setCount] = useState(FIRST)
  const shown = useDeferredValue(rows)
  const isPart = count < shown.length
  useEffect(() => {
    if (isPart) startTransition(() => setCount(count * GROWTH))
  }, [isPart, count])
  return shown.slice(0, count)
}
