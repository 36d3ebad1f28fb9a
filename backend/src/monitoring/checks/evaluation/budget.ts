import type { Assertion } from '@vedette/shared'
import { compilePattern, MAX_COMPILE_COST, type Pattern, TOO_COSTLY } from './pattern.ts'
import { compileCost } from '../../../platform/patterns/pattern-cost.ts'

/**
 * Bounds the cost of evaluating one check. A linear-time engine needs time proportional to pattern × text, which is still seconds
 * for a large pattern and a large body, and a path may visit each value for each value. Both would delay every other check of the
 * thread.
 */
export interface EvaluationBudget {
  /** The compiled pattern of a `matches` assertion, or why it does not compile; undefined for other assertions. */
  patternOf(assertion: Assertion): Pattern | { fault: string } | undefined
  /** Instructions of all patterns together. */
  patternSize: number
  /** Patterns are searched in this many characters of a body: in all of them unless the patterns are large. */
  searchLength: number
  /** Values that paths may still visit. */
  visits: number
}

/** Instructions × characters: 0.4 s in the engine's slowest kind of search, 10 ms in its usual one. */
const SEARCH_STEPS = 2 ** 26
/**
 * 0.5 s at worst. A document of 1 MiB usually has 50,000 values, at most 500,000; a value costs one visit, and one for each level
 * above it.
 */
const VISITS = 750_000

export function createBudget(assertions: readonly Assertion[]): EvaluationBudget {
  const patterns = new Map<Assertion, Pattern | { fault: string }>()
  let costLeft = MAX_COMPILE_COST
  let patternSize = 0
  for (const assertion of assertions) {
    // What a schema is matched with is no pattern.
    if (assertion.operator !== 'matches' || assertion.type === 'body_json') continue
    const source = String(assertion.value)
    costLeft -= compileCost(source)
    // Further patterns are not compiled: one definition must not block its thread.
    const pattern = costLeft < 0 ? TOO_COSTLY : compilePattern(source)
    if (!('fault' in pattern)) patternSize += pattern.size
    patterns.set(assertion, pattern)
  }
  return {
    patternOf: (assertion) => patterns.get(assertion),
    patternSize,
    searchLength: Math.floor(SEARCH_STEPS / Math.max(patternSize, 1)),
    visits: VISITS,
  }
}
