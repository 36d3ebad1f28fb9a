import { type Outcome, OUTCOMES } from '@vedette/shared'

/** Outcomes as the columns of checks store them: 0 up, 1 degraded, 2 down, 3 inconclusive. */
export const outcomeCode = (outcome: Outcome): number => OUTCOMES.indexOf(outcome)

export const DEGRADED = outcomeCode('degraded')
export const DOWN = outcomeCode('down')
export const INCONCLUSIVE = outcomeCode('inconclusive')
