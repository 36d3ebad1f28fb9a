import type { EntityKindName } from '@vedette/shared'
import { ALL_STORED } from '@vedette/shared/metrics/block'
import type { Db } from '../../platform/db/index.ts'
import { decodeChunk } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { readNewest, readPushed } from '../storage/push-store.ts'
import { decodeReadings, valuesAt } from '../storage/readings.ts'

/** The last reading of an entity. */
export interface LastReading {
  server: number
  number: number
  atMs: number
  /** Its values, by field; the kind is that of the entity. */
  values(kind: EntityKindName): Record<string, number>
}

/** By server and number. */
export type LastReadings = ReadonlyMap<string, LastReading>

export const readingKey = ({ server, number }: Pick<LastReading, 'server' | 'number'>): string => `${server}/${number}`

/** What the newest push of each of these servers had. */
export async function readPresent(
  db: Db,
  organization: number,
  servers: readonly number[],
  kind: EntityKindName | undefined,
): Promise<LastReadings> {
  const found = new Map<string, LastReading>()
  for (const { server, at, data } of await readNewest(db, organization, servers)) addAll(found, server, at, data, kind)
  return found
}

/** What a server had at an instant: of each entity the last reading in [fromMs, atMs]. */
export async function readPresentAt(
  db: Db,
  organization: number,
  server: number,
  { fromMs, atMs }: { fromMs: number; atMs: number },
  kind: EntityKindName | undefined,
): Promise<LastReadings> {
  const window = { fromMs, toMs: atMs + 1 }
  const found = new Map<string, LastReading>()
  // Before the pushes: what is compacted in between is in both.
  for (const { entity: number, data } of await readChunks(db, { organization, server }, window)) {
    const columns = decodeChunk(data, ALL_STORED)
    const index = columns.atMs.findLastIndex((at) => at <= atMs)
    const at = columns.atMs[index]
    const key = readingKey({ server, number })
    if (at === undefined || at < fromMs || at < (found.get(key)?.atMs ?? 0)) continue
    found.set(key, { server, number, atMs: at, values: (own) => valuesAt(own, columns, index) })
  }
  // The newest in whole: what was gone by then is not there.
  const pushed = (await readPushed(db, organization, server, window)).at(-1)
  const newestMs = Math.max(pushed?.at ?? 0, ...[...found.values()].map((reading) => reading.atMs))
  for (const [key, { atMs: at }] of found) if (at < newestMs) found.delete(key)
  if (pushed && pushed.at >= newestMs) addAll(found, server, pushed.at, pushed.data, kind)
  return found
}

function addAll(found: Map<string, LastReading>, server: number, atMs: number, data: Buffer, kind: EntityKindName | undefined) {
  for (const columns of decodeReadings(data, kind).values())
    for (const [index, number] of columns.atMs.entries())
      found.set(readingKey({ server, number }), { server, number, atMs, values: (own) => valuesAt(own, columns, index) })
}
