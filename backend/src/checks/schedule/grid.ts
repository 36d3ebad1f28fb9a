/** When checks are due: at `anchorMs` + n intervals. What happens to one check moves none of the others. */
export interface Grid {
  anchorMs: number
  intervalMs: number
}

/** A repeat, to confirm what a check said, comes so long after the end of that check. */
export const REPEAT_MS = 5_000
/**
 * A check that nobody took in its time (after a restart, after a long absence of the database) and that is later than this waits
 * for its next place: what was missed for longer would come as a herd.
 */
export const LATE_MS = 1_000
/** A claim that nobody kept is noticed within so long, unless nobody looks. */
export const LAPSE_MS = 2_000
/** Monitors with longer intervals do not wait a whole one for what they missed. */
export const CATCH_UP_MS = 300_000

/** Steps forward from the grid to the instant; 0: it is on it. */
const stepsOff = ({ anchorMs, intervalMs }: Grid, atMs: number): number => mod(atMs - anchorMs, intervalMs)

/** The first instant of the grid at or after this one. */
export function nextOnGrid(grid: Grid, atMs: number): number {
  const off = stepsOff(grid, atMs)
  return off === 0 ? atMs : atMs + grid.intervalMs - off
}

/**
 * When the check after one that was due at `dueAtMs` and ended at `endedAtMs` is due. One that took until into its next place (a
 * target that hangs, with a time limit as long as the interval) does not lose that place. One that was made beside the grid (a
 * first one, a repeat) stands for a place that follows it at once.
 */
export function nextDue(grid: Grid, dueAtMs: number, endedAtMs: number, repeats: boolean): number {
  if (repeats) return offGrid(grid, endedAtMs + REPEAT_MS)
  const wasBeside = stepsOff(grid, dueAtMs) !== 0
  return nextOnGrid(grid, wasBeside ? endedAtMs + REPEAT_MS : Math.max(dueAtMs + 1, endedAtMs - LATE_MS))
}

/** Beside the grid is what must be made however late it is: that is how the schedule knows a repeat from a check in its place. */
const offGrid = (grid: Grid, atMs: number): number => (stepsOff(grid, atMs) === 0 ? atMs + 1 : atMs)

function mod(value: number, by: number): number {
  const rest = value % by
  return rest < 0 ? rest + by : rest
}
