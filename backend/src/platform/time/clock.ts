import { setTimeout } from 'node:timers/promises'

/** Time as the product sees it; tests give one that they advance. Instants are milliseconds since the epoch. */
export interface Clock {
  now(): number
  /** Resolves after so many milliseconds, or at once when the signal aborts. Never keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined),
}

/** The same for a command that waits for nothing else: keeps the process alive meanwhile. */
export const pause = (ms: number): Promise<void> => setTimeout(ms)

/** Whole seconds by which the clock is ahead of the machine's, for libraries that read that one themselves. */
export const aheadOfMachineSeconds = (clock: Clock): number => Math.round((clock.now() - Date.now()) / 1000)
