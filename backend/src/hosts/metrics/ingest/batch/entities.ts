import {
  type BatchState,
  ENTITY_KINDS,
  type EntityEvent,
  type EntityKindName,
  type EntityKindSpec,
  type EntityReading,
  MAX_ENTITY_ATTRIBUTE_LENGTH,
} from '@vedette/shared'
import { greatestOf } from '@vedette/shared/bounds'
import { below, type Faults } from './faults.ts'

/** What a batch says of entities whose kinds this version knows, with the attributes and fields that it knows. */
export interface EntityState {
  entities: (EntityReading & { kind: EntityKindName })[]
  /** When they were read, ms; undefined: with the newest sample. */
  atMs: number | undefined
  events: (EntityEvent & { kind: EntityKindName })[]
}

const isKnown = <T extends { kind: string }>(one: T): one is T & { kind: EntityKindName } => Object.hasOwn(ENTITY_KINDS, one.kind)

/** Of a batch that has the form of its schema; reports attributes and values that cannot be stored. */
export function toEntities(
  { entities = [], entities_at: at, entity_events: events = [] }: BatchState,
  path: string,
  faults: Faults,
): EntityState {
  return {
    entities: entities.flatMap((one, index) => (isKnown(one) ? [toReading(one, below(path, `entities.${index}`), faults)] : [])),
    atMs: at === undefined ? undefined : Date.parse(at),
    events: events.filter(isKnown),
  }
}

function toReading<T extends EntityReading & { kind: EntityKindName }>(one: T, path: string, faults: Faults): T {
  const { attributes: names, fields }: EntityKindSpec = ENTITY_KINDS[one.kind]
  const attributes: Record<string, string> = {}
  for (const name of names) {
    const text: unknown = one.attributes?.[name]
    if (text === undefined) continue
    if (typeof text === 'string' && isStorable(text)) attributes[name] = text
    else
      faults.add(
        below(path, `attributes.${name}`),
        `must be a string of at most ${MAX_ENTITY_ATTRIBUTE_LENGTH} characters without NUL`,
      )
  }
  const values: Record<string, number | null> = {}
  for (const [name, { unit }] of Object.entries(fields)) {
    const value: unknown = one.values[name]
    if (value === undefined || value === null) continue
    const most = greatestOf(unit)
    if (typeof value === 'number' && Math.abs(value) <= most) values[name] = value
    else faults.add(below(path, `values.${name}`), `must be a number from -${most} to ${most}, or null`)
  }
  return { ...one, ...(one.attributes && { attributes }), values }
}

const isStorable = (text: string): boolean =>
  text.length <= MAX_ENTITY_ATTRIBUTE_LENGTH && !text.includes('\0') && text.isWellFormed()
