import { holdsForNothing, isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { formatProperty, formatValue } from '../messages.ts'

/** These headers contain secrets of the target's visitors, which no message repeats. */
const SECRET = /^(?:set-cookie|.*auth.*|.*token.*|.*secret.*)$/

export const header: AssertionEvaluator = {
  failure(assertion, { headers }) {
    const { operator, property = '', value } = assertion
    const name = property.toLowerCase()
    const actual = headers.get(name)
    const subject = `header ${formatProperty(assertion)}`
    if (actual === undefined) return holdsForNothing(operator) ? undefined : `${subject} missing`
    if (isSatisfied(operator, actual, value)) return undefined
    return SECRET.test(name) ? `${subject} has another value` : `${subject} is ${formatValue(actual)}`
  },
}
