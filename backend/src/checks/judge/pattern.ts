import { RE2JS } from 're2js'
import { compileCost } from './pattern-cost.ts'

/** A regular expression of RE2's syntax, searched for in linear time. */
export interface Pattern {
  /** Instructions of its program: repeats are counted out. */
  size: number
  isFoundIn(text: string): boolean
}

/** All patterns of a check together. Beyond it a search takes a second for each MiB, whatever the engine promises. */
export const MAX_PATTERN_SIZE = 500

/** Of all patterns of a check together, see `compileCost`: 10 ms of one core, and some times that before the engine is warm. */
export const MAX_COMPILE_COST = 5_000

/**
 * Compiles a pattern, unless that alone is too costly. The result is not kept over checks on purpose: the engine keeps up to 8 MB of states beside each pattern,
 * and compiling costs less than it takes to fill them.
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

/** In place of a pattern that is not compiled at all. */
export const TOO_COSTLY = { fault: 'is too large: fewer repeats, Unicode classes and wide ranges without case are allowed' }
