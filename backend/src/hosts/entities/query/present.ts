import type { EntityKindName } from '@vedette/shared'
import { ALL_STORED } from '@vedette/shared/metrics/block'
import type { Db } from '../../../platform/db/index.ts'
import { decodeChunk } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { readNewest, readPushed } from '../storage/push-store.ts'
import { decodeReadings, valuesAt } from '../storage/readings.ts'
import type { NamedServer } from './list-store.ts'

/** The last reading of an entity. */
export interface LastReading {
  server: number
  number: number
  atMs: number
  /** Its values, by field; the kind is that of the entity. */
  values(kind: EntityKindName): Record<string, number>
}

export interface ReadDeps {
  db: Db
  /** Between two readings of a server. */
  readEveryMs: number
}

/** By server and number. */
export type LastReadings = ReadonlyMap<string, LastReading>

export const readingKey = ({ server, number }: Pick<LastReading, 'server' | 'number'>): string => `${server}/${number}`

/** Missed readings until an entity is not there. */
const MISSED = 3

/**
 * Whether the newest reading of a server's entities is what it has: an agent reads them with every push, and samples that came long
 * after it are of an agent that no longer reads them. The newest sample of an offline server is as old as its reading: what was there
 * last counts as present.
 */
const isCurrent = (readAtMs: number, sampledAtMs: number, readEveryMs: number): boolean =>
  sampledAtMs - readAtMs <= MISSED * readEveryMs

/** What each of these servers has by its newest reading. */
export async function readPresent(
  { db, readEveryMs }: ReadDeps,
  organization: number,
  servers: readonly Pick<NamedServer, 'number' | 'sampledAtMs'>[],
  kind: EntityKindName | undefined,
): Promise<LastReadings> {
  const found = new Map<string, LastReading>()
  const sampledAt = new Map(servers.map(({ number, sampledAtMs }) => [number, sampledAtMs]))
  for (const { server, at, data } of await readNewest(db, organization, [...sampledAt.keys()]))
    if (isCurrent(at, sampledAt.get(server) ?? 0, readEveryMs)) addAll(found, server, at, data, kind)
  return found
}

/** What a server had at an instant, by the last reading that is not long before. */
export async function readPresentAt(
  { db, readEveryMs }: ReadDeps,
  organization: number,
  server: number,
  atMs: number,
  kind: EntityKindName | undefined,
): Promise<LastReadings> {
  const fromMs = atMs - MISSED * readEveryMs
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
