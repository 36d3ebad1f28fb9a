import { FunctionExpressionType, JSONPathEnvironment, JSONPathRecursionLimitError, jsonpath } from 'json-p3'
import { compilePattern } from './pattern.ts'
import { compileCost } from '../../../platform/patterns/pattern-cost.ts'

const { expressions, selectors } = jsonpath
type Query = ReturnType<JSONPathEnvironment['compile']>
type Expression = InstanceType<typeof expressions.FilterExpression>
type Node = Parameters<InstanceType<typeof selectors.JSONPathSelector>['resolve']>[0]
type Json = Node['value']

/** A compiled RFC 9535 path. */
export interface JsonPath {
  /** The selected values, or why the path cannot be evaluated. Its visits are deducted from the budget. */
  select(document: unknown, work: { visits: number }): { values: unknown[] } | { fault: string }
}

/** Real documents are less deep, and each level adds to the cost of every value below it. */
const MAX_DEPTH = 100
/** Applies to patterns from the document, which the target chooses, as well. */
const MAX_PATTERN_LENGTH = 256
/** Characters × instructions of a search that cost one visit. */
const SEARCH_PER_VISIT = 50
const VISITS_OF_COMPILING = 100
/** A visit takes 0.7 µs, a unit of `compileCost` 1.6. */
const VISITS_PER_COST = 3

class VisitsExhausted extends Error {}

/**
 * Compiles a path. The library's work may grow with a power of the document's size (`$..*[?@..x == $..y]`), and it matches with a
 * backtracking engine. So every selector pays for its visits, and `match` and `search` use RE2.
 */
export function compilePath(source: string): JsonPath | { fault: string } {
  const meter = { left: 0 }
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH })
  environment.functionRegister.set(
    'match',
    patternFunction(meter, (pattern) => `^(?:${iRegexp(pattern)})$`),
  )
  environment.functionRegister.set('search', patternFunction(meter, iRegexp))
  let query: Query
  try {
    query = environment.compile(source)
  } catch (error) {
    return { fault: `is not an RFC 9535 path: ${(error as Error).message}` }
  }
  meterQuery(query, meter)
  return { select: (document, work) => select(query, meter, document as Json, work) }
}

/** Classes, quoted texts and escapes, in which a dot is a dot, and the dots themselves. */
const DOTS = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:[a-z^]*:\]|\\[^]|[^\]\\])*\]?|\./g

/** RFC 9485: a dot is neither CR nor LF; in RE2 it may be CR. A pattern with flags for dots means what RE2 means. */
const iRegexp = (pattern: string): string =>
  /\(\?[a-zA-Z]*s/.test(pattern) ? pattern : pattern.replaceAll(DOTS, (part) => (part === '.' ? String.raw`[^\n\r]` : part))

interface Meter {
  left: number
}

function spend(meter: Meter, visits: number): void {
  meter.left -= visits
  if (meter.left < 0) throw new VisitsExhausted()
}

function select(query: Query, meter: Meter, document: Json, work: { visits: number }): ReturnType<JsonPath['select']> {
  meter.left = work.visits
  try {
    // Lazy, because the eager query spreads lists into arguments, of which there may be too many.
    return { values: Array.from(query.lazyQuery(document), ({ value }) => value) }
  } catch (error) {
    if (error instanceof VisitsExhausted) return { fault: 'not evaluated: it visits too many values of this document' }
    if (error instanceof JSONPathRecursionLimitError)
      return { fault: `not evaluated: the document is nested deeper than ${MAX_DEPTH} levels` }
    // RangeError: the library recursed too deeply.
    return { fault: 'not evaluated: the document is nested too deeply' }
  } finally {
    work.visits = Math.max(0, meter.left)
  }
}

function meterQuery(query: Query, meter: Meter): void {
  for (const { selectors: parts } of query.segments) {
    for (const part of parts) {
      const isName = part instanceof selectors.NameSelector || part instanceof selectors.IndexSelector
      const resolve = part.resolve.bind(part)
      const lazyResolve = part.lazyResolve.bind(part)
      // For each level above a value the library passes it through one more generator.
      const pay = (node: Node) => spend(meter, 1 + node.location.length + (isName ? 0 : childCount(node.value)))
      part.resolve = (node) => {
        pay(node)
        return resolve(node)
      }
      part.lazyResolve = (node) => {
        pay(node)
        return lazyResolve(node)
      }
      if (part instanceof selectors.FilterSelector) meterExpression(part.expression, meter)
    }
  }
}

function meterExpression(expression: Expression, meter: Meter): void {
  if (expression instanceof expressions.LogicalExpression) meterExpression(expression.expression, meter)
  else if (expression instanceof expressions.PrefixExpression) meterExpression(expression.right, meter)
  else if (expression instanceof expressions.FilterQuery) meterQuery(expression.path, meter)
  else if (expression instanceof expressions.FunctionExtension) for (const part of expression.args) meterExpression(part, meter)
  else if (expression instanceof expressions.InfixExpression) {
    meterExpression(expression.left, meter)
    meterExpression(expression.right, meter)
    if (!expression.logical) meterComparison(expression, meter)
  }
}

/** Objects and lists are compared as a whole, which costs their size each time. */
function meterComparison({ left, right }: InstanceType<typeof expressions.InfixExpression>, meter: Meter): void {
  if (left instanceof expressions.FilterExpressionLiteral || right instanceof expressions.FilterExpressionLiteral) return
  const evaluate = left.evaluate.bind(left)
  left.evaluate = (context) => {
    const found = evaluate(context)
    if (found instanceof jsonpath.JSONPathNodeList) for (const { value } of found.nodes) payForSize(value, meter)
    return found
  }
}

function payForSize(root: Json, meter: Meter): void {
  const waiting = [root]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    spend(meter, 1)
    if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value))
  }
}

const childCount = (value: Json): number =>
  Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0

/** Keeps the last pattern: it is the same for every value unless it comes from the document. */
function patternFunction(meter: Meter, toSource: (pattern: string) => string) {
  let last: { pattern: string; compiled: ReturnType<typeof compilePattern> } | undefined
  const compile = (pattern: string) => {
    if (last?.pattern !== pattern) {
      const source = toSource(pattern)
      spend(meter, VISITS_OF_COMPILING + Math.ceil(compileCost(source) * VISITS_PER_COST))
      last = { pattern, compiled: compilePattern(source) }
    }
    return last.compiled
  }
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== 'string' || typeof pattern !== 'string' || pattern.length > MAX_PATTERN_LENGTH) return false
      const compiled = compile(pattern)
      if ('fault' in compiled) return false
      spend(meter, Math.ceil((compiled.size * text.length) / SEARCH_PER_VISIT))
      return compiled.isFoundIn(text)
    },
  }
}
