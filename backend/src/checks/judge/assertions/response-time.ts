import type { AssertionJudge } from '../assertion-judge.ts'
import { isSatisfied } from '../compare.ts'

export const responseTime: AssertionJudge = {
  type: 'response_time',
  unit: 'ms',
  degradesOnly: true,
  failure: ({ operator, value }, { responseMs }) =>
    isSatisfied(operator, responseMs, value) ? undefined : `it took ${Math.round(responseMs * 10) / 10} ms`,
}
