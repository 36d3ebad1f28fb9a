import type { EntityKindName } from '@vedette/shared'
import { valueAt } from '@vedette/shared/metrics/block'
import type { Db } from '../../../platform/db/index.ts'
import { readOtherNewest } from '../storage/push-store.ts'
import { decodeReadings, valuesAt } from '../storage/readings.ts'
import { findEntities } from './list-store.ts'
import { readingKey } from './present.ts'

export interface PresentEntity {
  kind: EntityKindName
  name: string
  attributes: Readonly<Record<string, string>>
  values: Readonly<Record<string, number>>
}

/** The newest reading of a server. */
export interface NewestEntities {
  atMs: number
  receivedAtMs: number
  /** Undefined where the reading is the known one. */
  entities: PresentEntity[] | undefined
}

/** The newest reading of each of these servers, by number; entities only of readings at another instant than the known one. */
export async function readNewestEntities(
  db: Db,
  organization: number,
  servers: readonly { server: number; knownAtMs: number }[],
): Promise<Map<number, NewestEntities>> {
  const rows = await readOtherNewest(db, organization, servers)
  const decoded = rows.flatMap(({ server, data }) => {
    if (!data) return []
    return [...decodeReadings(data)].flatMap(([kind, columns]) =>
      Array.from({ length: columns.atMs.length }, (_, index) => ({
        server,
        number: valueAt(columns.atMs, index),
        kind,
        values: valuesAt(kind, columns, index),
      })),
    )
  })
  const found = await findEntities(db, organization, decoded)
  const byKey = new Map(found.map((row) => [readingKey(row), row]))
  const entities = Map.groupBy(
    decoded.flatMap(({ server, number, kind, values }) => {
      const row = byKey.get(readingKey({ server, number }))
      return row ? [{ server, kind, name: row.name, attributes: row.attributes, values }] : []
    }),
    ({ server }) => server,
  )
  return new Map(
    rows.map(({ server, at, received_at: receivedAtMs, data }) => [
      server,
      { atMs: at, receivedAtMs, entities: data ? (entities.get(server) ?? []) : undefined },
    ]),
  )
}
