import { MINUTE_MS } from '@vedette/shared'
import type { Clock } from '../time/clock.ts'

/** Bounds how many jobs a process begins in a minute of the clock. */
export interface Pace {
  /** How many more it may begin now. */
  left(): number
  take(): void
}

export function createPace(clock: Pick<Clock, 'now'>, perMinute: number): Pace {
  let [minute, left] = [-1, 0]
  return {
    left: () => {
      const present = Math.floor(clock.now() / MINUTE_MS)
      if (present !== minute) [minute, left] = [present, perMinute]
      return left
    },
    take: () => void (left -= 1),
  }
}
