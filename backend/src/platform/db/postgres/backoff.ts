const FIRST_MS = 100
const LONGEST_MS = 30_000

/**
 * Pause before try `attempt` (0 is the first). Short at first, since after a kill the children hold the shared memory only for a moment;
 * long in the end, since a start that failed ten times costs a recovery each.
 */
export function pauseBeforeMs(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))
}
