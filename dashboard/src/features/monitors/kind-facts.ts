import type { Check } from '@vedette/shared'
import { ASSERTION_TYPES } from '@vedette/shared/tables'
import { factLabel, factText } from '../../lib/fact-texts.ts'

/** What checks of a kind report in addition to their times: loss and jitter, answers and the time to live, rows, the time of each step. */

type Facts = Check['facts']

export const STEP = /^step_\d+$/
/** `Sign in: 200, 83.4 ms`. */
const STEP_TEXT = /^(.*): (?:\d+, )?([\d.]+) ms$/s

/** A figure of a fact; of a step its time. */
export function figureOf(name: string, value: number | string | undefined): number | undefined {
  if (typeof value === 'number') return value
  const ms = STEP.test(name) && value !== undefined ? STEP_TEXT.exec(value)?.[2] : undefined
  return ms === undefined ? undefined : Number(ms)
}

export const labelOf = (name: string, facts: Facts): string => {
  const value = facts[name]
  return (STEP.test(name) && typeof value === 'string' ? STEP_TEXT.exec(value)?.[1] : undefined) ?? factLabel(name)
}

export const hasFacts = ({ facts }: Check): boolean => Object.keys(facts).length > 0

const ORDER = Object.keys(ASSERTION_TYPES)

/** Names of facts as their kinds declare them: the database keeps no order. */
export const inOrder = (names: readonly string[]): string[] =>
  names.toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))

/** `label` and `text` of each fact; of a step its name, and what follows it. */
const shown = (facts: Facts) =>
  inOrder(Object.keys(facts)).map((name) => {
    const value = facts[name] ?? ''
    const isStep = STEP.test(name) && typeof value === 'string'
    return { label: labelOf(name, facts), text: isStep ? value.slice(value.lastIndexOf(': ') + 2) : factText(name, value) }
  })

/** The facts of the newest check that has some, as they are shown. */
export const newestFacts = (checks: readonly Check[]) => shown(checks.find(hasFacts)?.facts ?? {})

/** The first two facts of a check in one text. */
export const factsInShort = ({ facts }: Check): string =>
  shown(facts)
    .slice(0, 2)
    .map(({ label, text }) => `${label} ${text}`)
    .join(' · ')
