import { HOUR_MS, MINUTE_MS } from '@vedette/shared'

// A monitor: stable → flapping, with the sixth change of its status within an hour in which it was never stable → stable, when a
// quarter of an hour and three intervals have passed without a change. A pause ends it. So one that changes every ten minutes flaps,
// and goes on to flap while it changes every fourteen: it does not begin and end with each change.

export const FLAPPING_CHANGES = 6
const WITHIN_MS = HOUR_MS
const STABLE_MS = 15 * MINUTE_MS
const STABLE_INTERVALS = 3

export interface FlappingInput {
  isFlapping: boolean
  /** The last changes of the status, newest first, at least FLAPPING_CHANGES where there are so many. */
  changesMs: readonly number[]
  intervalSeconds: number
}

/** Whether a monitor is flapping now, and if so when it is stable unless its status changes again. Pure. */
export function deriveFlapping(
  { isFlapping, changesMs, intervalSeconds }: FlappingInput,
  nowMs: number,
): { isFlapping: boolean; stableAtMs: number } {
  const stableMs = Math.max(STABLE_MS, STABLE_INTERVALS * intervalSeconds * 1000)
  const stableAtMs = (changesMs[0] ?? 0) + stableMs
  const counted = changesMs.filter((ms) => ms > nowMs - WITHIN_MS).slice(0, FLAPPING_CHANGES)
  // Those before it was stable do not count again.
  const isOneRun = counted.every((ms, index) => index === 0 || (counted[index - 1] as number) - ms < stableMs)
  const begins = counted.length === FLAPPING_CHANGES && isOneRun
  return { isFlapping: (isFlapping || begins) && nowMs < stableAtMs, stableAtMs }
}
