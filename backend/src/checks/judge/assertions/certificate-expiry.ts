import type { AssertionJudge } from '../assertion-judge.ts'
import { isSatisfied } from '../compare.ts'

export const certificateExpiry: AssertionJudge = {
  type: 'certificate_expiry',
  unit: 'days',
  degradesOnly: true,
  failure({ operator, value }, { certificateDaysLeft: daysLeft }) {
    if (daysLeft === null) return 'the answer came without TLS'
    return isSatisfied(operator, daysLeft, value) ? undefined : `${Math.floor(daysLeft * 10) / 10} days are left`
  },
}
