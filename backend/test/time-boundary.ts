import { setTimeout as delay } from 'node:timers/promises'

/**
 * For a test on the real clock that must not lie across the end of a minute, an hour or a day: waits past it when it is nearer than
 * what the test may need. `shiftMs` moves the boundary to that time after the end.
 */
export async function waitPastBoundary(everyMs: number, neededMs: number, shiftMs = 0): Promise<void> {
  const leftMs = everyMs - ((Date.now() - shiftMs) % everyMs)
  if (leftMs < neededMs) await delay(leftMs + 50)
}
