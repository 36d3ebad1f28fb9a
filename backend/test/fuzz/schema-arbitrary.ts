import { DAY_MS, VISIBLE_PATTERN } from '@vedette/shared'
import fc from 'fast-check'
import { HOSTILE_VALUES } from './hostile-input.ts'

/** The part of JSON Schema that the published description uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  minProperties?: number
  examples?: unknown[]
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
}

export interface Making {
  components: Record<string, Schema>
  /** `valid`: fits the schema; `least`: valid and without what may be left out; `wild`: any place may hold anything. */
  style: 'valid' | 'least' | 'wild'
  /** Instants are made around this one, ms. */
  nowMs: number
}

/** Longer lists and texts add time, and the bounds themselves are tried by the tables. */
const LONG = 4
const LONG_TEXT = 40

/** Values of a schema, in the style that is asked for. */
export function valuesOf(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  const right = rightValues(resolve(schema, making), making)
  if (making.style !== 'wild') return right
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_VALUES) })
}

export function resolve(schema: Schema, { components }: Pick<Making, 'components'>): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : resolve(components[name] as Schema, { components })
}

function rightValues(schema: Schema, making: Making): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((part) => valuesOf(part, making)))
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema, making)))
}

function ofType(type: string, schema: Schema, making: Making): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objects(schema, making)
    case 'array':
      return arrays(schema, making)
    case 'string':
      return texts(schema, making)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 2 ** 31 - 1, 2 ** 31 - 1) })
    case 'number':
      return fc
        .integer({
          min: Math.ceil(Math.max(schema.minimum ?? 0, 0) * 100),
          max: Math.floor(Math.min(schema.maximum ?? 100, 100) * 100),
        })
        .map((value) => value / 100)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      throw new Error(`a schema of type ${type} is not known here`)
  }
}

function objects(
  { properties = {}, required = [], minProperties = 0, examples = [] }: Schema,
  making: Making,
): fc.Arbitrary<unknown> {
  // Names of its own, of which it has to have one.
  const isFree = Object.keys(properties).length === 0 && minProperties > 0 && examples.length > 0
  if (isFree && making.style !== 'wild') return fc.constantFrom(...examples)
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const least = [...required, ...optional.slice(0, Math.max(0, minProperties - required.length))]
  const wanted = Object.entries(properties).filter(([name]) => making.style !== 'least' || least.includes(name))
  const model = Object.fromEntries(wanted.map(([name, schema]) => [name, valuesOf(schema, making)]))
  const valid = fc.record(model, {
    requiredKeys: making.style === 'wild' ? required.slice(0, -1) : making.style === 'least' ? least : required,
  })
  if (making.style !== 'wild') return valid
  const stray = fc.tuple(
    fc.constantFrom('id', 'organization', 'status', 'toString', 'ключ', ''),
    fc.constantFrom(...HOSTILE_VALUES),
  )
  return fc
    .tuple(valid, fc.option(stray, { freq: 8 }))
    .map(([object, extra]) => (extra ? { ...object, [extra[0]]: extra[1] } : object))
}

function arrays({ items = {}, minItems = 0, maxItems = LONG, uniqueItems }: Schema, making: Making): fc.Arbitrary<unknown> {
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, LONG)) }
  return uniqueItems ? fc.uniqueArray(valuesOf(items, making), bounds) : fc.array(valuesOf(items, making), bounds)
}

function texts({ format, pattern, minLength = 0, maxLength = LONG_TEXT }: Schema, making: Making): fc.Arbitrary<string> {
  if (pattern !== undefined && pattern !== VISIBLE_PATTERN) return fc.stringMatching(new RegExp(pattern))
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time') {
    const day = { min: new Date(making.nowMs - DAY_MS / 4), max: new Date(making.nowMs), noInvalidDate: true }
    return fc.date(day).map((date) => date.toISOString())
  }
  const unit = fc.constantFrom('a', 'Z', '7', '-', ' ', '"', '\\', '<', '\u00e9', '\u05d0', '\u{1f680}')
  const text = fc.string({ unit, minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONG_TEXT)) })
  return pattern === undefined ? text : text.filter((one) => one.trim() !== '')
}

export interface Leaf {
  path: (string | number)[]
  schema: Schema
}

/** The paths of a schema that hold neither an object nor a list; lists are entered at their first item. */
export function leavesOf(schema: Schema, making: Pick<Making, 'components'>, path: Leaf['path'] = []): Leaf[] {
  const { anyOf, properties, items, ...rest } = resolve(schema, making)
  if (anyOf) return anyOf.flatMap((part) => leavesOf(part, making, path))
  if (properties) return Object.entries(properties).flatMap(([name, part]) => leavesOf(part, making, [...path, name]))
  if (items) return leavesOf(items, making, [...path, 0])
  return [{ path, schema: rest }]
}

/** A copy of `root` with `value` at this path; missing parents are created. */
export function withValue(root: unknown, [head, ...rest]: Leaf['path'], value: unknown): unknown {
  if (head === undefined) return value
  const below = (root as Record<string | number, unknown> | undefined)?.[head]
  const changed = withValue(below, rest, value)
  if (typeof head === 'number') return [changed, ...(Array.isArray(root) ? root.slice(1) : [])]
  return { ...(root as object), [head]: changed }
}
