import { RE2JS } from 're2js'
import type { Matcher } from './types.ts'

interface Pattern {
  test(text: string): boolean
}

/** Compiled patterns of the last queries. */
const MAX_PATTERNS = 200
/** Of one pattern and its searched values: a search is linear, but each value is searched once for each pattern. */
const MAX_VALUES = 10_000
const cache = new Map<string, { pattern: Pattern | undefined; values: Map<string, boolean> }>()

/** Words without any sign of an expression, as `a|b|c`: they need no engine. */
const ALTERNATIVES = /^[\w ,:;/@%&=~-]*(?:\|[\w ,:;/@%&=~-]*)*$/

function compile(source: string): Pattern | undefined {
  if (ALTERNATIVES.test(source)) {
    const words = new Set(source.split('|'))
    return { test: (text) => words.has(text) }
  }
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

/** Whether a text is a regular expression of RE2; with a value, whether it matches the whole value. */
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
