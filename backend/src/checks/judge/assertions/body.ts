import type { Assertion } from '@vedette/shared'
import type { AssertionJudge } from '../assertion-judge.ts'
import { isSatisfied } from '../compare.ts'
import type { Work } from '../work.ts'

export const body: AssertionJudge = {
  type: 'body',
  failure(assertion, { text }, work) {
    const { operator, value } = assertion
    if (operator === 'matches') return mismatch(assertion, text(), work)
    if (isSatisfied(operator, text(), value)) return undefined
    return operator === 'contains' ? `it is not in the ${text().length} characters` : 'it is there'
  },
  fault(assertion, work) {
    const pattern = work.patternOf(assertion)
    return pattern && 'fault' in pattern ? { path: 'value', message: `the pattern ${pattern.fault}` } : undefined
  },
}

function mismatch(assertion: Assertion, text: string, work: Work): string | undefined {
  const pattern = work.patternOf(assertion)
  if (!pattern || 'fault' in pattern) return 'the pattern cannot be read'
  if (pattern.isFoundIn(text.length <= work.reach ? text : text.slice(0, work.reach))) return undefined
  // Said, because a part of the body was not looked at.
  return `it is not in the first ${Math.min(text.length, work.reach)} of ${text.length} characters`
}
