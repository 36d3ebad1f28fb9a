import { type Matcher, matches } from '../../../../querying/promql/index.ts'
import { isOurs } from '../../export/families.ts'
import { isReserved } from '../../export/own-metrics.ts'
import type { Labels } from './source.ts'

/** Whether the matchers admit a name. One with a colon, as of maxima, only where they have one: other patterns would find values twice. */
export function isNamed(matchers: readonly Matcher[]): (name: string) => boolean {
  const ofNames = matchers.filter(({ label }) => label === '__name__')
  const hasColon = ofNames.some(({ value }) => value.includes(':'))
  // Many things have series of few names.
  const known = new Map<string, boolean>()
  return (name) => {
    const found = known.get(name) ?? ((hasColon || !name.includes(':')) && matches(ofNames, { __name__: name }))
    if (known.size < MOST_KNOWN) known.set(name, found)
    return found
  }
}
const MOST_KNOWN = 1_000

/** Whether a host's own metric can be meant: it never has a name of ours. */
export function mayBeOwn(matchers: readonly Matcher[]): boolean {
  const exact = matchers.find(({ label, op }) => label === '__name__' && op === '=')
  return exact === undefined || !(isOurs(exact.value) || isReserved(exact.value))
}

/** Whether a series with at least these labels can match. */
export const mayMatch = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matches(
    matchers.filter(({ label }) => Object.hasOwn(labels, label)),
    labels,
  )
