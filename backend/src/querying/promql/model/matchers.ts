import { RE2JS } from 're2js'
import { compileCost } from '../../../platform/patterns/pattern-cost.ts'
import type { Matcher } from './types.ts'

interface Pattern {
  test(text: string): boolean
}

/** Compiled patterns of the last queries: the engine keeps up to 8 MB of states for each. */
const MAX_PATTERNS = 16
/** Of one pattern: a search is linear, but each value is searched once. */
const MAX_VALUES = 10_000
/** The limit of `compileCost`: about 10 ms of one core. */
const MAX_COMPILE_COST = 5_000
const cache = new Map<string, { pattern: Pattern | undefined; values: Map<string, boolean> }>()

/** Words and escaped signs, as `a|b\.c` or `(a|b)`: they need no engine, so there may be thousands of them. */
const ALTERNATIVES = /^\((?<inner>(?:[\w ,:;/@%&=~<>!#-]|\\[^\w\s\\]|\|)*)\)$|^(?<whole>(?:[\w ,:;/@%&=~<>!#-]|\\[^\w\s\\]|\|)*)$/

/** Whether a pattern lists words and is nothing else. */
export const listsWords = (source: string): boolean => ALTERNATIVES.test(source)

/** Undefined: it is no pattern, or it costs too much. */
function compile(source: string): Pattern | undefined {
  const { inner, whole } = ALTERNATIVES.exec(source)?.groups ?? {}
  const alternatives = inner ?? whole
  if (alternatives !== undefined) {
    const words = new Set(alternatives.split(/(?<!\\)\|/).map((word) => word.replaceAll('\\', '')))
    return { test: (text) => words.has(text) }
  }
  if (compileCost(source) > MAX_COMPILE_COST) return undefined
  try {
    const compiled = RE2JS.compile(source, RE2JS.DOTALL)
    return { test: (text) => compiled.matches(text) }
  } catch {
    return undefined
  }
}

function entryOf(source: string) {
  let entry = cache.get(source)
  if (!entry) {
    entry = { pattern: compile(source), values: new Map() }
    if (cache.size >= MAX_PATTERNS) cache.delete(cache.keys().next().value ?? '')
    cache.set(source, entry)
  }
  return entry
}

/** Whether a text is a regular expression of RE2 that is not too large; with a value, whether it matches the whole value. */
export function isPattern(source: string, value?: string): boolean {
  const { pattern, values } = entryOf(source)
  if (!pattern || value === undefined) return pattern !== undefined
  let isMatch = values.get(value)
  if (isMatch === undefined) {
    isMatch = pattern.test(value)
    if (values.size >= MAX_VALUES) values.clear()
    values.set(value, isMatch)
  }
  return isMatch
}

/** Whether labels match all matchers; a label that is absent is empty, and a pattern matches the whole value. */
export function matches(matchers: readonly Matcher[], labels: Readonly<Record<string, string>>): boolean {
  return matchers.every(({ label, op, value }) => {
    const found = Object.hasOwn(labels, label) ? (labels[label] ?? '') : ''
    if (op === '=') return found === value
    if (op === '!=') return found !== value
    return isPattern(value, found) === (op === '=~')
  })
}
