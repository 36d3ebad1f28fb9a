import type { FactSpec } from '@vedette/shared'
import { holdsForNothing, isSatisfied } from '../compare.ts'
import type { AssertionEvaluator } from '../evaluator.ts'
import { formatValue } from '../messages.ts'

/** Compares a fact of a kind of check with the value of the assertion of the same name. */
export const factOf = (name: string, { label, unit, degradesOnly }: FactSpec): AssertionEvaluator => ({
  degradesOnly: degradesOnly === true,
  failure({ operator, value }, { facts }) {
    const actual = Object.hasOwn(facts, name) ? facts[name] : undefined
    if (actual === undefined) return holdsForNothing(operator) ? undefined : `${label} unknown`
    if (isSatisfied(operator, actual, value)) return undefined
    return `${label} ${formatValue(actual)}${unit === undefined ? '' : ` ${unit}`}`
  },
})
