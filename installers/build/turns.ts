/** Runs `work` when its turn has come, and says what it took. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Hands out `count` turns in the order of asking, so that steps that do not wait for each other keep so many processors busy. */
export function makeSteps(count: number, say: (line: string) => void): Step {
  let free = count
  const waiting: (() => void)[] = []
  return async (name, work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((go) => waiting.push(go))
    const beganMs = performance.now()
    try {
      return await work()
    } finally {
      say(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${name}`)
      // The turn goes on to who asked first; it is free only when nobody waits.
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
