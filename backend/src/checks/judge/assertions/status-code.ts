import type { AssertionJudge } from '../assertion-judge.ts'
import { isSatisfied } from '../compare.ts'

export const statusCode: AssertionJudge = {
  type: 'status_code',
  failure: ({ operator, value }, { statusCode }) =>
    isSatisfied(operator, statusCode, value) ? undefined : statusCode === null ? 'there is none' : `it is ${statusCode}`,
}
