const FIRST_MS = 100
// Clients are promised a database within 10 s of a kill, recovery included.
const LONGEST_MS = 5_000

/**
 * Pause before try `attempt` (0 is the first). Short at first, since after a kill the children hold the shared memory only for a moment;
 * longer later, since each failed start may cost a recovery.
 */
export function pauseBeforeMs(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))
}
