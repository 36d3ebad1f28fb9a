import type { AssertionJudge } from '../assertion-judge.ts'
import { isSatisfied } from '../compare.ts'

export const responseTime: AssertionJudge = {
  type: 'response_time',
  degradesOnly: true,
  failure: ({ operator, value }, { responseMs }) =>
    isSatisfied(operator, responseMs, value) ? undefined : `it took ${responseMs} ms`,
}
