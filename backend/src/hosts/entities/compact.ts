import { ALL_STORED, type SampleColumns } from '@vedette/shared/metrics/block'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type Db, inTransaction, type PartitionPlan } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { decodeChunk, encodeChunk, joinColumns } from './storage/chunk.ts'
import { type ChunkRow, insertChunks, listUnmerged, lockMerge, takeChunks } from './storage/chunk-store.ts'
import { DAY_MS, HOUR_MS } from './storage/days.ts'
import { updateLastSeen } from './storage/entity-store.ts'
import { UNSENT_KEPT_MS } from '../metrics/index.ts'
import { listUncompacted, type ReadingsRow, takeReadings } from './storage/push-store.ts'
import { decodeReadings } from './storage/readings.ts'

/** An hour is compacted this long after its end, a day two hours after: most of what comes late has come then. */
const HOUR_SETTLES_MS = 2 * 60_000
const DAY_SETTLES_MS = 2 * HOUR_MS

/** Past months exist as far back as late readings are accepted. */
export const ENTITY_CHUNKS = {
  table: 'entity_chunk',
  period: 'month',
  ahead: 1,
  behind: 2,
} as const satisfies Partial<PartitionPlan>

/**
 * Turns the readings of servers into rows of single entities: an hour's once it has ended, and those of a day into one row once this has
 * ended. Several processes may run it at once, and each reading is in one place at any time.
 */
export async function compactEntities(db: Db, clock: Clock): Promise<void> {
  const nowMs = clock.now()
  const hourMs = Math.floor((nowMs - HOUR_SETTLES_MS) / HOUR_MS) * HOUR_MS
  for (const key of await listUncompacted(db, hourMs, nowMs - UNSENT_KEPT_MS)) {
    await inTransaction(db, async (transaction) => {
      const rows = await takeReadings(transaction, key.organization, key.server, hourMs)
      const { chunks, lastSeen } = await toChunks(rows)
      await insertChunks(transaction, key, chunks, { storedAtMs: nowMs, isMerged: false })
      await updateLastSeen(transaction, key.organization, key.server, lastSeen)
    })
    await yieldToEventLoop()
  }
  for (const key of await listUnmerged(db, Math.floor((nowMs - DAY_SETTLES_MS) / DAY_MS))) {
    await inTransaction(db, async (transaction) => {
      await lockMerge(transaction, key.server)
      const taken = Map.groupBy(await takeChunks(transaction, key), ({ entity }) => entity)
      const day = Date.parse(key.day) / DAY_MS
      const merged: ChunkRow[] = []
      for (const [entity, rows] of taken) {
        merged.push(toChunk(entity, day, joinColumns(rows.map(({ data }) => decodeChunk(data, ALL_STORED)))))
        await yieldToEventLoop()
      }
      await insertChunks(transaction, key, merged, { storedAtMs: nowMs, isMerged: true })
    })
    await yieldToEventLoop()
  }
}

/** Readings by instant as rows by entity and UTC day. Yields after each entity, some milliseconds of work. */
async function toChunks(rows: readonly ReadingsRow[]): Promise<{ chunks: ChunkRow[]; lastSeen: Map<number, number> }> {
  const lastSeen = new Map<number, number>()
  const chunks: ChunkRow[] = []
  for (const [day, own] of Map.groupBy(rows, ({ at }) => Math.floor(at / DAY_MS))) {
    const readings = new Map<number, { at: number; columns: SampleColumns; index: number }[]>()
    for (const { at, data } of own)
      for (const columns of decodeReadings(data).values())
        for (const [index, entity] of columns.atMs.entries()) {
          const list = readings.get(entity) ?? []
          if (list.length === 0) readings.set(entity, list)
          list.push({ at, columns, index })
          lastSeen.set(entity, Math.max(at, lastSeen.get(entity) ?? 0))
        }
    for (const [entity, list] of readings) {
      chunks.push(toChunk(entity, day, ofEntity(list)))
      await yieldToEventLoop()
    }
  }
  return { chunks, lastSeen }
}

/** What was read of one entity, by ascending instant. */
function ofEntity(list: readonly { at: number; columns: SampleColumns; index: number }[]): SampleColumns {
  const fieldIds = [...new Set(list.flatMap(({ columns }) => columns.fieldIds))].sort((one, other) => one - other)
  const values = new Float64Array(fieldIds.length * list.length).fill(Number.NaN)
  for (const [position, { columns, index }] of list.entries())
    for (const [from, id] of columns.fieldIds.entries())
      values[fieldIds.indexOf(id) * list.length + position] = columns.values[from * columns.atMs.length + index] as number
  return { atMs: Float64Array.from(list, ({ at }) => at), fieldIds, values }
}

const toChunk = (entity: number, day: number, columns: SampleColumns): ChunkRow => ({
  entity,
  day,
  t_first: columns.atMs[0] as number,
  t_last: columns.atMs.at(-1) as number,
  data: encodeChunk(columns),
})
