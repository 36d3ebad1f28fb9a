import type { EntityKindName } from '@vedette/shared'
import { ALL_STORED, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { decodeChunk, joinColumns } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { DAY_MS } from '../storage/days.ts'
import { idOfKind } from '../storage/fields.ts'
import { readPushed } from '../storage/push-store.ts'
import { decodeReadings } from '../storage/readings.ts'
import { Series, type Steps } from './figures.ts'
import { listHeads } from './list-store.ts'
import { findNamed } from './recent-store.ts'

export interface EntityKey {
  organization: number
  server: number
  entity: number
  kind: EntityKindName
}

interface Window {
  fromMs: number
  toMs: number
}

/**
 * What was read of the entity in [fromMs, toMs), each instant once, by UTC days in order: a day is some milliseconds of work, and others
 * wait for the loop.
 */
export async function* readHistory(db: Db, key: EntityKey, window: Window): AsyncGenerator<SampleColumns> {
  const chunks = await readChunks(db, { ...key, entities: [key.entity] }, window)
  // After the chunks: what is compacted in between is in both, and none is in neither.
  const pushed = await readPushed(db, key.organization, key.server, window)
  const pieces = [
    ...chunks.map(({ t_first: atMs, data }) => ({ atMs, decode: () => decodeChunk(data, ALL_STORED) })),
    ...pushed.map(({ at, data }) => ({
      atMs: at,
      decode: () => ofEntity(decodeReadings(data, key.kind).get(key.kind), key.entity, at),
    })),
  ]
  const days = Map.groupBy(pieces, ({ atMs }) => Math.floor(atMs / DAY_MS))
  for (const [, own] of [...days].sort(([one], [other]) => one - other)) {
    yield cut(joinColumns(own.flatMap(({ decode }) => decode() ?? [])), window)
    await yieldToEventLoop()
  }
}

/** The values of one entity at an instant. */
function ofEntity(columns: SampleColumns | undefined, entity: number, at: number): SampleColumns | undefined {
  const index = columns?.atMs.indexOf(entity) ?? -1
  if (!columns || index < 0) return undefined
  const { atMs, fieldIds, values } = columns
  return {
    atMs: Float64Array.of(at),
    fieldIds,
    values: Float64Array.from(fieldIds, (_, row) => valueAt(values, row * atMs.length + index)),
  }
}

function cut({ atMs, fieldIds, values }: SampleColumns, { fromMs, toMs }: Window): SampleColumns {
  const from = atMs.findIndex((at) => at >= fromMs)
  const last = atMs.findLastIndex((at) => at < toMs)
  if (from < 0 || last < from) return { atMs: new Float64Array(0), fieldIds: [], values: new Float64Array(0) }
  const count = last + 1 - from
  const own = new Float64Array(fieldIds.length * count)
  for (const row of fieldIds.keys()) own.set(values.subarray(row * atMs.length + from, row * atMs.length + last + 1), row * count)
  return { atMs: atMs.subarray(from, last + 1), fieldIds, values: own }
}

export interface SeriesQuery {
  organization: number
  server: number
  kind: EntityKindName
  /** As in rules; null: any. */
  pattern: string | null
  /** Those that were seen last. */
  limit: number
}

/** Means and maxima per step of a field of the entities of a server, of each that had it. */
export async function readSeriesOf(
  db: Db,
  { organization, server, kind, pattern, limit }: SeriesQuery,
  field: string,
  steps: Steps,
): Promise<{ avg: (number | null)[]; max: (number | null)[] }[]> {
  const heads = await listHeads(db, organization, [server], { kind: idOfKind(kind), text: undefined })
  const named = pattern === null ? undefined : await findNamed(db, organization, [server], [{ kind, pattern }])
  const wanted = new Set(named?.map(({ number }) => number))
  const chosen = heads
    .filter(({ number, last_seen: lastMs }) => lastMs >= steps.fromMs && (!named || wanted.has(number)))
    .sort((one, other) => other.last_seen - one.last_seen)
    .slice(0, limit)
  const found: { avg: (number | null)[]; max: (number | null)[] }[] = []
  for (const { number } of chosen) {
    const series = new Series(kind, steps)
    for await (const columns of readHistory(db, { organization, server, entity: number, kind }, steps)) series.add(columns)
    const own = series.figures().fields[field]
    if (own) found.push(own)
  }
  return found
}
