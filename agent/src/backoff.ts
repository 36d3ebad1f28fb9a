const FIRST_MS = 2_000
const MOST_MS = 64_000
/** However bad the luck of the draw, a backend sees an agent at most once a second. */
export const MIN_GAP_MS = 1_000

/**
 * How long to wait after `failures` tries in a row that failed (from 1): anything up to 2, 4, … 64 s. The whole span is drawn
 * from, so that agents which failed together do not come back together. `random` is from [0, 1).
 */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return Math.max(MIN_GAP_MS, Math.round(random * ceiling))
}
