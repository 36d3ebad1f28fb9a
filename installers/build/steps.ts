/** Runs `work` as soon as a slot is free, and prints how long it took. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Runs at most `count` steps at once, in the order of the calls. */
export function createSteps(count: number, print: (line: string) => void): Step {
  let free = count
  const waiting: (() => void)[] = []
  return async (name, work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((go) => waiting.push(go))
    const beganMs = performance.now()
    try {
      return await work()
    } finally {
      print(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${name}`)
      // The slot goes to the longest waiting step.
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
