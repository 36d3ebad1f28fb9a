import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'

export const statusCode: AssertionEvaluator = {
  failure({ operator, value }, { statusCode }) {
    if (isSatisfied(operator, statusCode, value)) return undefined
    return statusCode === null ? 'no status' : `status ${statusCode}`
  },
}
