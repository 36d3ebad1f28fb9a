const FIRST_MS = 2_000
const MOST_MS = 64_000
/** A backend gets at most one request per second from an agent. */
export const MIN_GAP_MS = 1_000

/**
 * Delay after `failures` consecutive failures (from 1), in ms: random from 1 s up to 2, 4, … 64 s. The full range spreads agents
 * that failed together. `random` is from [0, 1).
 */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return Math.max(MIN_GAP_MS, Math.round(random * ceiling))
}
