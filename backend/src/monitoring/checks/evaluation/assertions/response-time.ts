import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'

export const responseTime: AssertionEvaluator = {
  degradesOnly: true,
  failure: ({ operator, value }, { responseMs }) =>
    isSatisfied(operator, responseMs, value) ? undefined : `response time ${Math.round(responseMs * 10) / 10} ms`,
}
