import type { AssertionJudge } from '../assertion-judge.ts'
import { holdsForNothing, isSatisfied } from '../compare.ts'
import { compilePath } from '../json-path.ts'
import { shown } from '../wording.ts'

/** Each value that the path leads to must satisfy the operator; where it leads to none, only a negative one holds. */
export const jsonPath: AssertionJudge = {
  type: 'json_path',
  failure({ operator, property, value }, { text }, work) {
    const path = compilePath(property ?? '')
    if ('fault' in path) return 'the path cannot be read'
    const document = parse(text())
    if (document === undefined) return 'the body is not JSON'
    const found = path.select(document.value, work)
    if ('fault' in found) return found.fault
    if (found.values.length === 0) return holdsForNothing(operator) ? undefined : 'there is no such value'
    const index = found.values.findIndex((actual) => !isSatisfied(operator, actual, value))
    return index === -1 ? undefined : `it is ${describe(found.values[index])}`
  },
  fault({ property }) {
    const path = property === undefined ? undefined : compilePath(property)
    return path && 'fault' in path ? { path: 'property', message: `the path ${path.fault}` } : undefined
  },
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : shown(value)
}
