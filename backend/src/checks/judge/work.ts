import type { Assertion } from '@vedette/shared'
import { compilePattern, MAX_COMPILE_COST, type Pattern, TOO_COSTLY } from './pattern.ts'
import { compileCost } from './pattern-cost.ts'

/**
 * What judging one check may cost. A linear engine bounds a search by pattern × text, which is still seconds for a large pattern
 * over a large body, and a path may visit each value for each value: both would hold up every other check of the thread.
 */
export interface Work {
  /** The compiled pattern of a `matches`, or why there is none; undefined for everything else. */
  patternOf(assertion: Assertion): Pattern | { fault: string } | undefined
  /** Instructions of all patterns. */
  patternSize: number
  /** So many characters of a body are searched for patterns; all of them unless the patterns are large. */
  reach: number
  /** So much may still be visited by paths. */
  visits: number
}

/** Instructions × characters: 0.4 s of the engine's slowest kind of search, 10 ms of its usual one. */
const SEARCH_STEPS = 2 ** 26
/** 0.5 s at worst. A document of 1 MiB usually has 50,000 values, at most 500,000; a value counts once, and once for each level above it. */
const VISITS = 750_000

export function createWork(assertions: readonly Assertion[]): Work {
  const patterns = new Map<Assertion, Pattern | { fault: string }>()
  let costLeft = MAX_COMPILE_COST
  let patternSize = 0
  for (const assertion of assertions) {
    if (assertion.operator !== 'matches') continue
    const source = String(assertion.value)
    costLeft -= compileCost(source)
    // What is beyond is not compiled: one definition must not hold up its thread, whatever stands in it.
    const pattern = costLeft < 0 ? TOO_COSTLY : compilePattern(source)
    if (!('fault' in pattern)) patternSize += pattern.size
    patterns.set(assertion, pattern)
  }
  return {
    patternOf: (assertion) => patterns.get(assertion),
    patternSize,
    reach: Math.floor(SEARCH_STEPS / Math.max(patternSize, 1)),
    visits: VISITS,
  }
}
