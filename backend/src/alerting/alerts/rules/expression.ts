import { planQuery, PromqlError } from '../../../querying/promql/index.ts'

/** Which types are known does not depend on the instant. */
const ONCE = { startMs: 0, endMs: 0, stepMs: 0, lookbackMs: 1 }

const REFUSED = {
  scalar: 'must give series, and gives a number: compare a series, as in up == 0, or use vector(…)',
  string: 'must give series, and gives a text',
  matrix: 'must give series at an instant, and gives ranges of samples: use a function of ranges, as in rate(…)',
} as const

/** What is wrong with the expression of a rule, with the line and the character; undefined: nothing. Pure. */
export function expressionFault(expression: string): string | undefined {
  try {
    const { type } = planQuery(expression, ONCE)
    return type === 'vector' ? undefined : REFUSED[type]
  } catch (error) {
    if (!(error instanceof PromqlError)) throw error
    return `is no PromQL: ${error.message}`
  }
}
