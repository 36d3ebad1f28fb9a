import {
  Batch,
  EntityEvent as EntityEventSchema,
  EntityReading as EntityReadingSchema,
  FactsBody,
  Filesystem,
  HostState,
  NetworkInterface,
  Process,
} from '@vedette/shared'
import { ENTITY_KIND_NAMES, ENTITY_KINDS } from '@vedette/shared/entities/kinds'
import {
  type Bounds,
  ENTITY_BOUNDS,
  ENTITY_EVENT_BOUNDS,
  FACTS_BOUNDS,
  SAMPLE_BOUNDS,
  STATE_BOUNDS,
} from '@vedette/shared/bounds'
import { ALL_FIELDS } from '@vedette/shared/metrics/fields'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ValueBounds } from './bounds.ts'
import type { LogFields } from '../process/log.ts'

/** The keywords of published schemas that bounds have too. */
interface Schema {
  $ref?: string
  $id?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

const SHARED_PARTS = [Filesystem, NetworkInterface, Process, HostState] as Schema[]
/** Named in the facts. */
const FACT_PARTS: Record<string, Schema> = {}

function boundsOf(schema: Schema): unknown {
  const { $ref } = schema
  if ($ref !== undefined) {
    const named = SHARED_PARTS.find(({ $id }) => `${$id}#` === $ref) ?? FACT_PARTS[$ref]
    return named ? boundsOf(named) : $ref
  }
  const { type, properties = {}, required = [], items = {}, minLength = 0, maxLength, minimum, maximum, maxItems } = schema
  if (Array.isArray(type)) return { ...(boundsOf({ ...schema, type: type[0] as string }) as object), isNullable: true }
  if (type === 'object')
    return {
      type,
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, boundsOf(field)])),
      required,
    }
  if (type === 'array') return { type, items: boundsOf(items), maxItems }
  if (type === 'string') return { type, minLength, maxLength }
  return type === 'boolean' ? { type } : { type, minimum, maximum }
}

const published = (schema: unknown, ...names: string[]) => {
  const { properties } = boundsOf(schema as Schema) as { properties: Record<string, unknown> }
  return Object.fromEntries(names.map((name) => [name, properties[name]]))
}
const known = (bounds: Bounds) => (bounds.type === 'object' ? bounds.properties : {})

describe('the bounds of an agent', () => {
  test('are those of the published schema of a batch', () => {
    expect(known(STATE_BOUNDS)).toEqual(published(Batch, 'filesystems', 'interfaces', 'processes', 'host'))
    const { name, exit_code, oom, lines } = known(ENTITY_EVENT_BOUNDS)
    expect({ name, exit_code, oom, lines }).toEqual(published(EntityEventSchema, 'name', 'exit_code', 'oom', 'lines'))
    for (const kind of ENTITY_KIND_NAMES) {
      expect(known(ENTITY_BOUNDS[kind])['name']).toEqual(published(EntityReadingSchema, 'name')['name'])
      expect(Object.keys(known(known(ENTITY_BOUNDS[kind])['values'] as Bounds))).toEqual(Object.keys(ENTITY_KINDS[kind].fields))
    }
  })

  test('are those of the published schema of facts', () => {
    const { ip_addresses: addresses, container, ...facts } = known(FACTS_BOUNDS)
    expect(facts).toEqual(published(FactsBody, ...Object.keys(facts)))
    expect(addresses).toMatchObject({ maxItems: 64, items: { type: 'string', minLength: 1, maxLength: 64 } })
    expect(container).toMatchObject({ type: 'object', required: expect.arrayContaining(['runtime', 'memory_limit_bytes']) })
  })

  test('have every field of a sample', () => {
    const groups = known(SAMPLE_BOUNDS)
    for (const { group, name } of ALL_FIELDS) expect(known(groups[group] as Bounds)).toHaveProperty(name)
  })
})

/** Above, below and between the bounds, of every type, and half a character. */
const ABSURD = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  4.6e260,
  2 ** 63,
  2 ** 64 - 1,
  Number.MAX_VALUE,
  0.5,
  -0,
  '',
  'text',
  'a'.repeat(5_000),
  '\ud83d',
  `${'a'.repeat(63)}🔥`,
  'a\0b',
  null,
  true,
  [],
  {},
  [Number.NaN, '\ud83d'],
]

/** Whether a backend takes the value. */
function isWithin(bounds: Bounds, value: unknown): boolean {
  switch (bounds.type) {
    case 'number':
    case 'integer':
      if (value === null) return bounds.isNullable === true
      return (
        typeof value === 'number' &&
        value >= bounds.minimum &&
        value <= bounds.maximum &&
        (bounds.type === 'number' || Number.isInteger(value))
      )
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= bounds.minLength &&
        value.length <= bounds.maxLength &&
        value.isWellFormed() &&
        !value.includes('\0')
      )
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value) && value.length <= bounds.maxItems && value.every((item) => isWithin(bounds.items, item))
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        bounds.required.every((name) => name in value) &&
        Object.entries(bounds.properties).every(
          ([name, field]) => !(name in value) || isWithin(field, (value as Record<string, unknown>)[name]),
        )
      )
  }
}

/** A value within the bounds. */
function usual(bounds: Bounds): unknown {
  switch (bounds.type) {
    case 'number':
    case 'integer':
      return Math.max(bounds.minimum, 1)
    case 'string':
      return 'a'
    case 'boolean':
      return true
    case 'array':
      return [usual(bounds.items), usual(bounds.items)]
    case 'object':
      return Object.fromEntries(Object.entries(bounds.properties).map(([name, field]) => [name, usual(field)]))
  }
}

/** Paths of all values in a value. */
const pathsIn = (value: unknown): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])])
    : []

function withValue(value: unknown, [name = '', ...rest]: readonly string[], inner: unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[name] = rest.length === 0 ? inner : withValue(copy[name], rest, inner)
  return copy
}

const SOURCES: [string, Bounds, (bounds: ValueBounds, value: never) => unknown][] = [
  ['samples', SAMPLE_BOUNDS, (bounds, value) => bounds.sample(value)],
  ['state', STATE_BOUNDS, (bounds, value) => bounds.state(value)],
  ['facts', FACTS_BOUNDS, (bounds, value) => bounds.facts(value)],
  ...ENTITY_KIND_NAMES.map((kind): (typeof SOURCES)[number] => [
    kind,
    ENTITY_BOUNDS[kind],
    (bounds, value) => bounds.entity({ ...(value as object), kind } as never),
  ]),
]

describe.each(SOURCES)('of %s', (_source, bounds, take) => {
  const value = usual(bounds)
  const paths = pathsIn(value)

  test('a usual value is kept as it is, and nothing is logged', () => {
    const logged: unknown[] = []
    expect(take(new ValueBounds((...line) => void logged.push(line)), value as never)).toMatchObject(value as object)
    expect(logged).toEqual([])
  })

  test('one absurd value is left out alone, whatever it is, and a backend takes the rest', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.constantFrom(undefined, ...ABSURD), (path, absurd) => {
        const kept = take(new ValueBounds(() => undefined), withValue(value, path, absurd) as never)
        const isLeftOut = kept === undefined && path.length === 1 && ['name', 'values'].includes(path[0] ?? '')
        expect(isLeftOut || isWithin(bounds, JSON.parse(JSON.stringify(kept)))).toBe(true)
        // What is not below the same field is untouched.
        const others = (whole: object) => Object.entries(whole).filter(([name]) => name !== path[0] && name !== 'kind')
        expect(isLeftOut ? [] : others(kept as object)).toEqual(isLeftOut ? [] : others(value as object))
      }),
      { numRuns: 500 },
    )
  })
})

test('a value out of bounds is logged once for each field of a source, without texts', () => {
  const logged: LogFields[] = []
  const bounds = new ValueBounds((_level, _message, fields = {}) => void logged.push(fields))
  for (let times = 0; times < 3; times++) {
    expect(bounds.sample({ memory: { swap_total_bytes: 2 ** 63, used_bytes: 5 } })).toEqual({ memory: { used_bytes: 5 } })
    bounds.entity({ kind: 'battery', name: 'desk', values: { load_percent: 4.6e254, charge_percent: 100 } })
    bounds.state({ host: { uptime_seconds: 'a secret' as never } })
  }
  expect(logged).toEqual([
    { source: 'samples', field: 'memory.swap_total_bytes', value: '9223372036854776000' },
    { source: 'battery', field: 'values.load_percent', value: '4.6e+254' },
    { source: 'state', field: 'host.uptime_seconds', value: 'string' },
  ])
})
