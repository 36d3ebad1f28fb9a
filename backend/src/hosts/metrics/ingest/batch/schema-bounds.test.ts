import {
  Batch,
  EntityEvent,
  EntityReading,
  Filesystem,
  HostState,
  NetworkInterface,
  Process,
  PushBody,
  SampleColumns,
} from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { PushFault } from './faults.ts'
import { head, NOW, parse } from './test-push.ts'

/** The keywords of the published schemas. */
interface Schema {
  $ref?: string
  $id?: string
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

const NAMED = new Map(
  ([EntityEvent, EntityReading, Filesystem, HostState, NetworkInterface, Process, SampleColumns] as Schema[]).map((schema) => [
    `${schema.$id}#`,
    schema,
  ]),
)
const resolved = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (NAMED.get(schema.$ref) ?? {}))
const typeOf = ({ type }: Schema) => (Array.isArray(type) ? type[0] : type)

/** A value that the schema accepts. */
function validValue(given: Schema): unknown {
  const schema = resolved(given)
  const type = typeOf(schema)
  if (type === 'object')
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, validValue(field)]))
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => validValue(schema.items ?? {}))
  if (type === 'string') {
    if (schema.format === 'uuid') return head.batch_id
    return schema.format === 'date-time' ? head.sent_at : 'a'.repeat(schema.minLength ?? 0)
  }
  return type === 'boolean' ? true : (schema.minimum ?? 0)
}

/** Each bound of a schema: a value exactly at it, and one beyond, inside of an otherwise valid value. */
interface Bound {
  path: string
  keyword: string
  at: unknown
  beyond: unknown
}

function boundsOf(given: Schema, path: string): Bound[] {
  const schema = resolved(given)
  const own = ownBounds(schema).map((bound) => ({ path, ...bound }))
  if (typeOf(schema) === 'object') {
    const whole = validValue(schema) as object
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      boundsOf(field, path === '' ? name : `${path}.${name}`).map((bound) => ({
        ...bound,
        at: { ...whole, [name]: bound.at },
        beyond: { ...whole, [name]: bound.beyond },
      })),
    )
  }
  const { items } = schema
  const inside = items ? boundsOf(items, `${path}.0`).map((bound) => ({ ...bound, at: [bound.at], beyond: [bound.beyond] })) : []
  return [...own, ...inside]
}

function ownBounds(schema: Schema): Omit<Bound, 'path'>[] {
  const { minItems, maxItems, minLength, maxLength, minimum, maximum, items = {} } = schema
  const list = (length: number) => Array.from({ length }, () => validValue(items))
  const bounds: Omit<Bound, 'path'>[] = []
  if (minItems !== undefined) bounds.push({ keyword: 'minItems', at: list(minItems), beyond: list(minItems - 1) })
  if (maxItems !== undefined) bounds.push({ keyword: 'maxItems', at: list(maxItems), beyond: list(maxItems + 1) })
  if (minLength !== undefined) bounds.push({ keyword: 'minLength', at: 'a'.repeat(minLength), beyond: 'a'.repeat(minLength - 1) })
  if (maxLength !== undefined)
    bounds.push({ keyword: 'maxLength', at: '😀'.repeat(maxLength), beyond: '😀'.repeat(maxLength + 1) })
  if (minimum !== undefined) bounds.push({ keyword: 'minimum', at: minimum, beyond: minimum - 1 })
  if (maximum !== undefined) bounds.push({ keyword: 'maximum', at: maximum, beyond: maximum + 1 })
  return bounds
}

function faultsOf(body: unknown): string[] {
  try {
    parse(body)
    return []
  } catch (error) {
    if (error instanceof PushFault) return error.details.map(({ path }) => path)
    throw error
  }
}

const instants = (count: number) => ({ at_ms: Array.from({ length: count }, (_, index) => NOW - index) })
const one = { ...head, columns: instants(1) }
const { samples, columns: _columns, ...plain } = Batch.properties
const single = boundsOf({ type: 'object', properties: plain as Record<string, Schema> }, '')
const [, several] = PushBody.anyOf
const request = boundsOf(
  {
    type: 'object',
    properties: { boot_id: several.properties.boot_id, server_id: several.properties.server_id },
  },
  '',
)

describe('the published bound', () => {
  it.each([...single, ...request].map((bound) => [bound.path, bound.keyword, bound] as const))(
    'of %s (%s) is the one that is enforced',
    (path, _keyword, { at, beyond }) => {
      expect(faultsOf({ ...one, ...(at as object) })).toEqual([])
      expect(faultsOf({ ...one, ...(beyond as object) })).toEqual([path])
    },
  )

  it('of samples, instants and batches is the one that is enforced', () => {
    const { at_ms } = SampleColumns.properties as { at_ms: Schema }
    const rows = (count: number) => ({
      ...head,
      samples: instants(count).at_ms.map((ms) => ({ at: new Date(ms).toISOString() })),
    })
    const batches = (count: number) => ({ batches: Array.from({ length: count }, () => one) })
    const bodies = [
      [at_ms, (count: number) => ({ ...head, columns: instants(count) }), 'columns.at_ms'],
      [samples as Schema, rows, 'samples'],
      [several.properties.batches as Schema, batches, 'batches'],
    ] as const
    for (const [{ minItems = 0, maxItems = 0 }, bodyOf, path] of bodies) {
      for (const count of [minItems, maxItems]) expect(faultsOf(bodyOf(count))).toEqual([])
      for (const count of [minItems - 1, maxItems + 1]) expect(faultsOf(bodyOf(count))).toEqual([path])
    }
  })

  it('is derived for every part of a batch', () => {
    const parts = new Set(single.map(({ path }) => path.split('.')[0]))
    expect(parts).toEqual(
      new Set(['agent_version', 'entities', 'entity_events', 'filesystems', 'host', 'interfaces', 'processes']),
    )
    expect(single.length).toBeGreaterThan(25)
  })
})
