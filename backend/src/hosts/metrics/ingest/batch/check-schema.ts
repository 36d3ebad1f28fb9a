import { EntityEvent, EntityReading, Filesystem, HostState, NetworkInterface, Process } from '@vedette/shared'
import type { TSchema } from 'typebox'
import { parseInstant } from '../../../../platform/time/instant.ts'
import { below, type Faults, isFields } from './faults.ts'

/**
 * Compiles published schemas into checks that report every fault with its path and bound. The validator of other routes reports the
 * first fault only and costs a push several times as much.
 */
export type Check = (value: unknown, path: string, faults: Faults) => void

/** The keywords that the schemas of a push use. */
interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  format?: string
}

/** The types of schemas hide their keywords. */
const keywordsOf = (schema: TSchema): Schema & { $id?: string } => schema

const NAMED = new Map(
  [EntityEvent, EntityReading, Filesystem, HostState, NetworkInterface, Process]
    .map(keywordsOf)
    .map((schema) => [`${schema.$id}#`, schema]),
)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Throws where the schema uses a keyword or type that is not compiled here. */
export function compileCheck(schema: Schema): Check {
  if (schema.$ref !== undefined) return compileCheck(NAMED.get(schema.$ref) ?? unknown(schema))
  if (Array.isArray(schema.type)) return compileNullable(schema, schema.type)
  if (schema.type === 'object') return compileObject(schema)
  if (schema.type === 'array') return compileArray(schema)
  if (schema.type === 'string') return compileString(schema)
  if (schema.type === 'integer' || schema.type === 'number') return compileNumber(schema)
  if (schema.type === 'boolean')
    return (value, path, faults) => {
      if (typeof value !== 'boolean') faults.add(path, 'must be true or false')
    }
  return unknown(schema)
}

function unknown(schema: Schema): never {
  throw new Error(`no check for the schema ${JSON.stringify(schema)}`)
}

function compileNullable(schema: Schema, [type, other]: readonly string[]): Check {
  if (type === undefined || other !== 'null') return unknown(schema)
  const check = compileCheck({ ...schema, type })
  return (value, path, faults) => {
    if (value !== null) check(value, path, faults)
  }
}

function compileObject({ properties = {}, required = [] }: Schema): Check {
  const checks = Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: required.includes(name),
    check: compileCheck(schema),
  }))
  return (value, path, faults) => {
    if (!isFields(value)) return faults.add(path, 'must be an object')
    for (const { name, isRequired, check } of checks) {
      const field = value[name]
      if (field !== undefined || isRequired) check(field, below(path, name), faults)
    }
  }
}

function compileArray({ items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Schema): Check {
  const check = compileCheck(items)
  const bounds = minItems === 0 ? `at most ${maxItems}` : `${minItems} to ${maxItems}`
  return (value, path, faults) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > maxItems)
      return faults.add(path, `must be an array of ${bounds} entries`)
    for (let index = 0; index < value.length; index++) check(value[index], below(path, index), faults)
  }
}

function compileString({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, format }: Schema): Check {
  return (value, path, faults) => {
    if (typeof value !== 'string') faults.add(path, 'must be a string')
    else if (format === 'uuid' && !UUID.test(value)) faults.add(path, 'must be a UUID')
    else if (format === 'date-time' && parseInstant(value) === undefined)
      faults.add(path, 'must be an ISO 8601 instant with a zone')
    else if (!hasLength(value, minLength, maxLength)) faults.add(path, `must have ${minLength} to ${maxLength} characters`)
    // The former cannot be stored, the latter cannot be sent back.
    else if (value.includes('\0') || !value.isWellFormed()) faults.add(path, 'must not contain NUL or half a surrogate pair')
  }
}

/** In code points, as JSON Schema counts. One of them is at most two code units: only between the bounds they must be counted. */
function hasLength(text: string, min: number, max: number): boolean {
  return text.length >= min && text.length <= 2 * max && (text.length <= max || Array.from(text).length <= max)
}

function compileNumber({ type, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema): Check {
  const isInteger = type === 'integer'
  const most = maximum === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : maximum
  const message = `must be ${isInteger ? 'an integer' : 'a number'} from ${minimum} to ${most}`
  return (value, path, faults) => {
    const isInRange = typeof value === 'number' && value >= minimum && value <= maximum
    if (!isInRange || (isInteger && !Number.isInteger(value))) faults.add(path, message)
  }
}

/** Checks the named fields of an object, and no others. */
export function compileFields(schema: TSchema, names: readonly string[]): Check {
  const { properties = {}, required = [] } = keywordsOf(schema)
  return compileObject({
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name))),
    required,
  })
}
