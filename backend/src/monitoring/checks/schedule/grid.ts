/** The slots of a check: `anchorMs` + n intervals. A late or repeated check does not move the other slots. */
export interface Grid {
  anchorMs: number
  intervalMs: number
}

/** A repeat that confirms a result is due this long after the end of the check. */
export const REPEAT_MS = 5_000
/**
 * A check that is later than this, because no worker ran or the database was away, moves to its next slot. Running all missed
 * checks at once would overload targets and workers.
 */
export const LATE_MS = 1_000
/** A running worker finds an expired claim within this time. */
export const LAPSE_MS = 2_000
/** Missed checks of longer intervals are caught up within this time. */
export const CATCH_UP_MS = 300_000

/** Milliseconds from the last slot to the instant; 0 for an instant on the grid. */
const stepsOff = ({ anchorMs, intervalMs }: Grid, atMs: number): number => mod(atMs - anchorMs, intervalMs)

/** The first slot at or after this instant. */
export function nextOnGrid(grid: Grid, atMs: number): number {
  const off = stepsOff(grid, atMs)
  return off === 0 ? atMs : atMs + grid.intervalMs - off
}

/**
 * When the check after one that was due at `dueAtMs` and ended at `endedAtMs` is due. A check that took until after its next
 * slot, because the target hangs and the timeout equals the interval, does not lose that slot. A check off the grid (a first one,
 * a repeat) replaces a slot that follows immediately.
 */
export function nextDue(grid: Grid, dueAtMs: number, endedAtMs: number, repeats: boolean): number {
  if (repeats) return offGrid(grid, endedAtMs + REPEAT_MS)
  const wasOffGrid = stepsOff(grid, dueAtMs) !== 0
  return nextOnGrid(grid, wasOffGrid ? endedAtMs + REPEAT_MS : Math.max(dueAtMs + 1, endedAtMs - LATE_MS))
}

/** Repeats are due off the grid: the schedule recognises by it that they must run however late they are. */
const offGrid = (grid: Grid, atMs: number): number => (stepsOff(grid, atMs) === 0 ? atMs + 1 : atMs)

function mod(value: number, by: number): number {
  const rest = value % by
  return rest < 0 ? rest + by : rest
}
