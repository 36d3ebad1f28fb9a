import type { Assertion } from '@vedette/shared'
import { compilePattern, type Pattern } from './pattern.ts'

/**
 * What judging one check may cost. A linear engine bounds a search by pattern × text, which is still seconds for a large pattern
 * over a large body, and a path may visit each value for each value: both would hold up every other check of the thread.
 */
export interface Work {
  /** The compiled pattern of a `matches`; undefined where it cannot be read. */
  patternOf(assertion: Assertion): Pattern | undefined
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
  const patterns = new Map<Assertion, Pattern>()
  for (const assertion of assertions) {
    const pattern = assertion.operator === 'matches' ? compilePattern(String(assertion.value)) : undefined
    if (pattern && !('fault' in pattern)) patterns.set(assertion, pattern)
  }
  const patternSize = [...patterns.values()].reduce((sum, { size }) => sum + size, 0)
  return {
    patternOf: (assertion) => patterns.get(assertion),
    patternSize,
    reach: Math.floor(SEARCH_STEPS / Math.max(patternSize, 1)),
    visits: VISITS,
  }
}
