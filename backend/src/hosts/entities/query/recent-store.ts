import type { EntityKindName } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { fieldsOf, idOfKind } from '../storage/fields.ts'
import type { ReadingsRow } from '../storage/push-store.ts'
import { decodeReadings, valuesAt } from '../storage/readings.ts'

/** An entity with what was read of it lately, oldest first. */
export interface RecentEntity {
  number: number
  kind: EntityKindName
  readings: { atMs: number; values: Record<string, number> }[]
}

/** The entities of a server. */
export interface RecentEntities {
  /** When they were last read. */
  atMs: number
  /** By their number. */
  entities: Map<number, RecentEntity>
}

/** Of these servers the entities of these kinds with their readings since the instant, by server; none for one without any. */
export async function readRecent(
  db: Db,
  organization: number,
  servers: readonly number[],
  kinds: readonly EntityKindName[],
  sinceMs: number,
): Promise<Map<number, RecentEntities>> {
  const { rows } = await sql<ReadingsRow>`
    select server, at, received_at, data from entity_push
    where organization = ${organization} and server = any(${servers}::int4[]) and at >= ${sinceMs} order by server, at`.execute(
    db,
  )
  const found = new Map<number, RecentEntities>()
  for (const [server, own] of Map.groupBy(rows, (row) => row.server)) {
    const entities = new Map<number, RecentEntity>()
    for (const { at, data } of own)
      for (const [kind, columns] of decodeReadings(data)) {
        if (!kinds.includes(kind)) continue
        for (const [index, number] of columns.atMs.entries()) {
          const entity = entities.get(number) ?? { number, kind, readings: [] }
          entities.set(number, entity)
          entity.readings.push({ atMs: at, values: valuesAt(kind, columns, index) })
        }
      }
    found.set(server, { atMs: own.at(-1)?.at ?? 0, entities })
  }
  return found
}

/** Names of entities that patterns select. */
export interface NamedEntityRow {
  server: number
  number: number
  name: string
  /** The pattern that selects it. */
  pattern: string
}

/**
 * The entities of these servers that are named so, or whose image, project or service is: in a pattern `*` stands for any text. One that
 * two patterns select is there twice.
 */
export async function findNamed(
  db: Db,
  organization: number,
  servers: readonly number[],
  patterns: readonly { kind: EntityKindName; pattern: string }[],
): Promise<NamedEntityRow[]> {
  if (patterns.length === 0) return []
  const { rows } = await sql<NamedEntityRow>`
    select server, number, name, pattern
    from unnest(
      ${patterns.map(({ kind }) => idOfKind(kind))}::int2[], ${patterns.map(({ pattern }) => pattern)}::text[],
      ${patterns.map(({ pattern }) => toLike(pattern))}::text[]
    ) as given (kind, pattern, likeness)
    join entity on entity.organization = ${organization} and entity.server = any(${servers}::int4[]) and entity.kind = given.kind
      and (name like likeness or attributes ->> 'image' like likeness or attributes ->> 'project' like likeness
        or attributes ->> 'service' like likeness)`.execute(db)
  return rows
}

const toLike = (pattern: string): string => pattern.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('*', '%')

/** The unit of a field. */
export const unitOf = (kind: EntityKindName, field: string): string | undefined =>
  fieldsOf(kind).find(({ name }) => name === field)?.unit
