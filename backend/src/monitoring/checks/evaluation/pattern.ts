import { RE2JS } from 're2js'
import { compileCost } from '../../../platform/patterns/pattern-cost.ts'

/** A regular expression in RE2 syntax that is searched in linear time. */
export interface Pattern {
  /** Instructions of its program, with repeats expanded. */
  size: number
  isFoundIn(text: string): boolean
}

/** The limit for all patterns of a check together: above it a search takes a second per MiB, although it is linear. */
export const MAX_PATTERN_SIZE = 500

/**
 * The limit of `compileCost` for all patterns of a check: 10 ms of one core, and several times that before the engine is warm.
 */
export const MAX_COMPILE_COST = 5_000

/**
 * Compiles a pattern unless its estimated cost is too high. Compiled patterns are not cached across checks: the engine keeps up
 * to 8 MB of states for each, and compiling is cheaper than filling them.
 */
export function compilePattern(source: string): Pattern | { fault: string } {
  if (compileCost(source) > MAX_COMPILE_COST) return TOO_COSTLY
  try {
    const compiled = RE2JS.compile(source)
    const size = compiled.programSize()
    if (size > MAX_PATTERN_SIZE)
      return { fault: `is too large: ${size} instructions with its repeats counted out, at most ${MAX_PATTERN_SIZE}` }
    return { size, isFoundIn: (text) => compiled.test(text) }
  } catch (error) {
    return { fault: `is not a regular expression of RE2: ${(error as Error).message}` }
  }
}

/** For a pattern that is not compiled. */
export const TOO_COSTLY = { fault: 'is too large: fewer repeats, Unicode classes and wide ranges without case are allowed' }
