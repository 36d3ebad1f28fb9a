import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { MAX_JSON_SCHEMA_BYTES } from '@vedette/shared/checks/limits'
import { compileCost } from '../../../platform/patterns/pattern-cost.ts'
import { compilePattern, MAX_COMPILE_COST, MAX_PATTERN_SIZE } from './pattern.ts'

/** A compiled JSON Schema of draft 2020-12. */
export interface JsonSchema {
  /** Undefined when the document fits; else where it does not, or why that cannot be evaluated. `length` is that of its text. */
  failure(document: unknown, length: number): { at: string; keyword: string } | { fault: string } | undefined
}

/** Levels of the schema: the compiler recurses. */
const MAX_DEPTH = 32
/** Values of the schema with references expanded. */
const MAX_COST = 2_000
/** Values of the schema × values of the document: half a second at worst. */
const MAX_STEPS = 50_000_000
/** Instructions × characters, as for patterns of other assertions. */
const MAX_SEARCH_STEPS = 2 ** 26
/** A schema takes some milliseconds to compile, and up to 100 KB. */
const MAX_KEPT = 100

let schemaOfSchemas: Ajv2020 | undefined
const kept = new Map<string, JsonSchema | { fault: string }>()

/**
 * Compiles a schema. Its cost is bounded before: references lead within the schema and not in circles, patterns are RE2, and formats are
 * annotations, as the draft says. Compiled ones are kept.
 */
export function compileJsonSchema(text: string): JsonSchema | { fault: string } {
  const existing = kept.get(text)
  if (existing) return existing
  const compiled = compile(text)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(text, compiled)
  return compiled
}

function compile(text: string): JsonSchema | { fault: string } {
  if (Buffer.byteLength(text) > MAX_JSON_SCHEMA_BYTES) return { fault: `must have at most ${MAX_JSON_SCHEMA_BYTES} bytes` }
  const schema = parse(text)
  if (schema === undefined || typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return { fault: 'must be an object in JSON' }
  const cost = costOf(schema)
  if (typeof cost !== 'number') return cost
  const patterns = { size: 0, costLeft: MAX_COMPILE_COST }
  let validate: ValidateFunction
  try {
    // One for all: compiling the schema of schemas takes as long as ten of them.
    schemaOfSchemas ??= new Ajv2020({ strict: false, logger: false })
    if (schemaOfSchemas.validateSchema(schema) !== true)
      return { fault: `is not one of draft 2020-12: ${schemaOfSchemas.errorsText()}` }
    validate = createCompiler(patterns).compile(schema)
  } catch (error) {
    return { fault: `cannot be used: ${(error as Error).message}` }
  }
  return { failure: (document, length) => failureOf(validate, { cost, patternSize: patterns.size }, document, length) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(
  validate: ValidateFunction,
  { cost, patternSize }: { cost: number; patternSize: number },
  document: unknown,
  length: number,
): ReturnType<JsonSchema['failure']> {
  if (patternSize * length > MAX_SEARCH_STEPS || !hasAtMost(document, MAX_STEPS / cost))
    return { fault: 'the body is too large for this schema' }
  if (validate(document)) return undefined
  const [{ instancePath = '', keyword = '' } = {}] = (validate.errors ?? []) as Partial<ErrorObject>[]
  return { at: instancePath === '' ? '/' : instancePath, keyword }
}

/** Whether a document has at most so many values. It may be as deep as it is long. */
function hasAtMost(document: unknown, most: number): boolean {
  const left: unknown[] = [document]
  let count = 0
  while (left.length > 0) {
    if (++count > most) return false
    const value = left.pop()
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) left.push(inner)
  }
  return true
}

function createCompiler(patterns: { size: number; costLeft: number }) {
  /** In place of the engine of JavaScript, which may take time without end. */
  const engine = Object.assign(
    (source: string) => {
      patterns.costLeft -= compileCost(source)
      const pattern = patterns.costLeft < 0 ? undefined : compilePattern(source)
      if (!pattern || 'fault' in pattern) throw new Error(`the pattern ${pattern?.fault ?? 'is too large'}`)
      patterns.size += pattern.size
      if (patterns.size > MAX_PATTERN_SIZE) throw new Error('all patterns together are too large')
      // The compiler takes those with the same text for one.
      return { test: pattern.isFoundIn, toString: () => source }
    },
    { code: '' },
  )
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    addUsedSchema: false,
    code: { regExp: engine },
  })
  // Its own compares each item with each.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || new Set(items.map((item) => canonical(item))).size === items.length,
  })
  return ajv
}

/** The same text for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Values of the schema, with those that references lead to each time. */
function costOf(schema: object): number | { fault: string } {
  const known = new Map<unknown, number>()
  const open = new Set<unknown>()
  let fault: string | undefined

  function visit(value: unknown, depth: number): number {
    if (fault !== undefined || typeof value !== 'object' || value === null) return 1
    const earlier = known.get(value)
    if (earlier !== undefined) return earlier
    if (depth > MAX_DEPTH) fault = `must have at most ${MAX_DEPTH} levels, references included`
    else if (open.has(value)) fault = 'must not have references in a circle'
    if (fault !== undefined) return 1
    open.add(value)
    let cost = 1
    for (const [name, inner] of Object.entries(value)) {
      cost += visit(inner, depth + 1)
      if (name === '$ref' && typeof inner === 'string') cost += visit(resolve(inner), depth + 1)
      else if (name === '$dynamicRef' || name === '$recursiveRef') fault ??= 'must not have dynamic references'
      else if (name === '$id' && depth > 0 && typeof inner === 'string') fault ??= 'must have $id at its top alone'
    }
    open.delete(value)
    known.set(value, cost)
    return cost
  }
  function resolve(reference: string): unknown {
    if (reference !== '#' && !reference.startsWith('#/')) fault ??= 'must have references within itself, such as #/$defs/item'
    let found: unknown = schema
    for (const part of reference
      .slice(2)
      .split('/')
      .filter((name) => name !== '')) {
      const name = safeDecode(part).replaceAll('~1', '/').replaceAll('~0', '~')
      found =
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Record<string, unknown>)[name]
          : undefined
    }
    if (found === undefined) fault ??= 'has a reference that leads nowhere'
    return found
  }

  const cost = visit(schema, 0)
  if (fault !== undefined) return { fault }
  return cost > MAX_COST ? { fault: `is too large: at most ${MAX_COST} values, with those that references lead to` } : cost
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
