import type { Clock } from '../time/clock.ts'

/** Runs a task, and extends what it holds so often until the task ends. */
export async function runExtended(
  clock: Clock,
  everyMs: number,
  extend: () => Promise<unknown>,
  task: () => Promise<unknown>,
): Promise<void> {
  const done = new AbortController()
  const extendUntilDone = async () => {
    for (;;) {
      await clock.sleep(everyMs, done.signal)
      if (done.signal.aborted) return
      // The task does not depend on it: without a database it fails by itself.
      await extend().catch(() => undefined)
    }
  }
  const extended = extendUntilDone()
  try {
    await task()
  } finally {
    done.abort()
    await extended
  }
}
