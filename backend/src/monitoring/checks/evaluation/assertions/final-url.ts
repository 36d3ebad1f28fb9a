import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { formatValue } from '../messages.ts'
import { isFound, patternFault } from './body.ts'

/** The URL of the last request, behind all redirects. */
export const finalUrl: AssertionEvaluator = {
  failure(assertion, { url = null }, budget) {
    if (url === null) return 'no URL'
    const { operator, value } = assertion
    const holds = operator === 'matches' ? isFound(assertion, url, budget) === true : isSatisfied(operator, url, value)
    return holds ? undefined : `final URL ${formatValue(url)}`
  },
  fault: patternFault,
}
