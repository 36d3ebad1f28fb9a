import { counted } from '@vedette/shared'
import { isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'

export const certificateExpiry: AssertionEvaluator = {
  degradesOnly: true,
  failure({ operator, value }, { certificateDaysLeft: daysLeft }) {
    if (daysLeft === null) return 'no certificate: the connection had no TLS'
    return isSatisfied(operator, daysLeft, value)
      ? undefined
      : counted`certificate expiry in ${Math.floor(daysLeft * 10) / 10} days`
  },
}
