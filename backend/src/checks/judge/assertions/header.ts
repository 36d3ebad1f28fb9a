import type { AssertionJudge } from '../assertion-judge.ts'
import { holdsForNothing, isSatisfied } from '../compare.ts'
import { shown } from '../wording.ts'

/** These answers hold secrets of the target's visitors, which no message repeats. */
const SECRET = /^(?:set-cookie|.*auth.*|.*token.*|.*secret.*)$/

export const header: AssertionJudge = {
  type: 'header',
  failure({ operator, property, value }, { headers }) {
    const name = (property ?? '').toLowerCase()
    const actual = headers.get(name)
    if (actual === undefined) return holdsForNothing(operator) ? undefined : 'it is missing'
    if (isSatisfied(operator, actual, value)) return undefined
    return SECRET.test(name) ? 'it is something else' : `it is ${shown(actual)}`
  },
}
