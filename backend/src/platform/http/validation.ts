import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchema, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { invalid } from '../errors.ts'
import { parseInstant } from '../time/instant.ts'

const shared: Options = { removeAdditional: false, useDefaults: true, allErrors: false, strict: false, verbose: true }

/** A refused request is validated once more for all of its faults if it has at most so many values: a fault for each is work. */
const EXPLAINED_VALUES = 2_000

function create(options: Options, schemas: TSchema[]): Ajv {
  const ajv = new Ajv({ ...shared, ...options })
  // The package is CommonJS; its default export is the function itself at run time.
  ;(addFormats as unknown as (ajv: Ajv) => Ajv)(ajv)
  // The package's own format accepts leap seconds, a blank instead of the T and the year 0, which `Date` cannot represent.
  ajv.addFormat('date-time', (text: string) => parseInstant(text) !== undefined)
  for (const schema of schemas) ajv.addSchema(schema)
  return ajv
}

/**
 * Whether Postgres can store the text unchanged: no NUL (refused by text and jsonb), no lone surrogate (stored as another
 * character by text, refused by jsonb).
 */
function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

/** Compilers by the named schemas that they know: to make them takes 70 ms, and tests make many apps in one process. */
const compilersBySchemas = new WeakMap<TSchema[], Compilers>()

type Compile = (schema: object) => ValidateFunction

interface Compilers {
  body: Compile
  query: Compile
  /** Finds all faults of a body. */
  explaining: Compile
}

function createCompilers(schemas: TSchema[]): Compilers {
  // strictNumbers: JSON's 1e999 is Infinity, which is no number to keep.
  const body: Options = { strictNumbers: true }
  const bodies = create(body, schemas)
  // 'array': a parameter given once reaches a list as a list of one, one given twice never reaches a single value.
  // Without strictNumbers: coerced text that becomes Infinity would pass, and no maximum would be asked.
  // All faults at once: coercion changes what it validates, so a second look would not see what was sent. A query is short.
  const queries = create({ coerceTypes: 'array', allErrors: true }, schemas)
  let explaining: Ajv | undefined
  return {
    body: onceForEach((schema) => bodies.compile(schema)),
    query: onceForEach((schema) => compileQuery(queries, schema)),
    explaining: onceForEach((schema) => (explaining ??= create({ ...body, allErrors: true }, schemas)).compile(schema)),
  }
}

/** Compiles what has the same text once. */
function onceForEach(compile: Compile): Compile {
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? compile(schema)
    compiled.set(text, validate)
    return validate
  }
}

/**
 * Compiles request schemas. Only query strings are coerced (they are text); in a body `"12"` is not 12. Unknown fields are
 * refused where the schema says so, never dropped.
 */
export function createValidatorCompiler(schemas: TSchema[]): FastifySchemaCompiler<FastifySchema> {
  const compilers = compilersBySchemas.get(schemas) ?? createCompilers(schemas)
  compilersBySchemas.set(schemas, compilers)
  return ({ schema, httpPart }) =>
    httpPart === 'querystring'
      ? whenFirstUsed(() => compilers.query(schema))
      : whenFirstUsed(
          () => compilers.body(schema),
          () => compilers.explaining(schema),
        )
}

/**
 * Compiles with the first request: most routes are never asked for in a process, and to compile all of them was more than half of
 * the time in which the app gets ready.
 */
function whenFirstUsed(compile: () => ValidateFunction, compileExplaining?: () => ValidateFunction): ValidateFunction {
  let compiled: ValidateFunction | undefined
  let explaining: ValidateFunction | undefined
  const validate = (data: unknown): boolean => {
    compiled ??= compile()
    if (compiled(data)) {
      validate.errors = null
      return true
    }
    validate.errors = compiled.errors
    if (compileExplaining && isExplained(data)) {
      explaining ??= compileExplaining()
      if (!explaining(data)) validate.errors = explaining.errors
    }
    return false
  }
  validate.errors = null as ValidateFunction['errors']
  return validate as ValidateFunction
}

/** Whether all faults of a body are looked for. */
export const isExplained = (body: unknown): boolean => hasAtMost(EXPLAINED_VALUES, body)

/** Whether a value consists of at most so many values; looks at no more. Depth is not bounded, so no recursion. */
function hasAtMost(limit: number, root: unknown): boolean {
  const values: unknown[] = [root]
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]
    if (typeof value !== 'object' || value === null) continue
    for (const name in value) {
      if (values.length >= limit) return false
      values.push((value as Record<string, unknown>)[name])
    }
  }
  return true
}

/** The part of a schema of a query that is looked at here. */
interface Schema {
  properties?: Record<string, { type?: string }>
}

/**
 * As the schema says, and where it asks for an integer only its plain digits: coercion takes whatever JavaScript makes a number
 * of (`0x10`, `1e1`, ` 5`, `1.0`).
 */
function compileQuery(ajv: Ajv, schema: Schema): ValidateFunction {
  const validate = ajv.compile(schema)
  const integers = Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []))
  if (integers.length === 0) return validate
  const validateDigits = (query: Record<string, unknown>): boolean => {
    const wrong = integers.filter((one) => isTextOfNoInteger(query[one])).map((one) => notDigits(one, query[one]))
    if (validate(query) && wrong.length === 0) return true
    const others = (validate.errors ?? []).filter(({ instancePath }) => !wrong.some((one) => one.instancePath === instancePath))
    validateDigits.errors = [...wrong, ...others]
    return false
  }
  validateDigits.errors = null as ValidateFunction['errors']
  return validateDigits as ValidateFunction
}

/** A parameter that was given twice is a list, which the schema refuses. */
const isTextOfNoInteger = (value: unknown): boolean => typeof value === 'string' && !/^\d+$/.test(value)

const notDigits = (name: string, data: unknown): ErrorObject => ({
  instancePath: `/${name}`,
  schemaPath: `#/properties/${name}/type`,
  keyword: 'digits',
  params: {},
  data,
})

/** Levels of objects and lists in a body; those of the API have about six. */
export const MAX_DEPTH = 32

/**
 * Path of the first text that Postgres cannot keep, undefined when there is none. Throws validation_error for a body with too many
 * levels. No recursion: what has to be refused is deep. Paths are only made of what is found: a body of a million small parts costs
 * about what it cost to parse.
 */
export function findUnstorable(root: unknown): string | undefined {
  if (typeof root === 'string') return isStorable(root) ? undefined : ''
  const parts: Part[] = []
  enter(root, undefined, '', parts)
  for (const part of parts) {
    const { value } = part
    const names = Array.isArray(value) ? undefined : Object.keys(value)
    const count = names?.length ?? (value as unknown[]).length
    for (let index = 0; index < count; index++) {
      const name = names?.[index] ?? index
      if (typeof name === 'string' && !isStorable(name)) return pathOf(part)
      const child = (value as Record<string | number, unknown>)[name]
      if (typeof child === 'string' && !isStorable(child)) return pathOf({ value: {}, parent: part, name, depth: part.depth })
      enter(child, part, name, parts)
    }
  }
  return undefined
}

/** An object or list of a body, and where it stands. */
interface Part {
  value: object
  parent: Part | undefined
  name: string | number
  /** 1 is the body itself. */
  depth: number
}

function enter(value: unknown, parent: Part | undefined, name: string | number, parts: Part[]): void {
  if (typeof value !== 'object' || value === null) return
  const part = { value, parent, name, depth: (parent?.depth ?? 0) + 1 }
  if (part.depth > MAX_DEPTH) throw invalid({ path: pathOf(part), message: `is nested deeper than ${MAX_DEPTH} levels` })
  parts.push(part)
}

function pathOf(part: Part): string {
  const names: (string | number)[] = []
  for (let at = part; at.parent; at = at.parent) names.push(at.name)
  return names.reverse().join('.')
}
