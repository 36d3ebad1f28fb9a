import { once } from 'node:events'
import type { BrokenCheck } from './broken-checker.ts'
import { startChild } from './child.ts'
import { round2 } from './processes.ts'

/** Case C2: what targets may do wrong, one by one. */
export async function checkBrokenTargets(): Promise<object> {
  const targets = await startChild({ args: ['bench/broken-targets.ts'] })
  const checker = await startChild({ args: ['--expose-gc', 'bench/broken-checker.ts'] })
  try {
    targets.process.send('world')
    const [world] = await once(targets.process, 'message')
    checker.process.send(world)
    const [checks] = (await once(checker.process, 'message')) as [BrokenCheck[]]
    const wrong = checks.filter(({ seen, expected }) => seen !== expected).map(({ name, seen }) => `${name}: ${seen}`)
    const longest = checks.toSorted((a, b) => b.overtimeMs - a.overtimeMs)[0] as BrokenCheck
    const largest = checks.toSorted((a, b) => b.grownMb - a.grownMb)
    return {
      case: 'C2',
      passes: wrong.length === 0 && longest.overtimeMs <= 100 && (largest[0] as BrokenCheck).grownMb <= 5,
      checks: checks.length,
      wrong,
      overtimeMs: [round2(longest.overtimeMs), longest.name],
      grownMb: largest.slice(0, 5).map(({ name, grownMb }) => [round2(grownMb), name]),
    }
  } finally {
    await checker.stop()
    await targets.stop()
  }
}
