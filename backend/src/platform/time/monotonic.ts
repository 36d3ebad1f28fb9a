/** Whole microseconds of a clock that nobody sets; only differences mean something. */
export const monotonicUs = (): number => Math.round(performance.now() * 1_000)

export interface Alarm {
  cancel(): void
}

/** Calls once after so many milliseconds, unless it is cancelled. Keeps the process alive only where that is asked for. */
export function after(ms: number, call: () => void, { isKeptAlive = false } = {}): Alarm {
  const timer = setTimeout(call, ms)
  if (!isKeptAlive) timer.unref()
  return { cancel: () => clearTimeout(timer) }
}
