import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type Db, inTransaction, type PartitionPlan } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type ChunkRow, insertChunks, listUnmerged, lockMerge, takeChunks, type Target } from './storage/chunk-store.ts'
import { decodeChunk, encodeChunk, MAX_CHUNK_SAMPLES } from './storage/chunk.ts'
import { UNSENT_KEPT_MS } from '../metrics/index.ts'
import { listUncompacted, takePushed } from './storage/push-store.ts'
import { decodePushed } from './storage/pushed.ts'
import { placeOf, SampleList, type Samples } from './storage/samples.ts'

/** An hour is compacted this long after its end, a day two hours after: most of what comes late has come then. */
const HOUR_SETTLES_MS = 2 * 60_000
const DAY_SETTLES_MS = 2 * HOUR_MS
/** Series encoded before others have a turn: some 3 ms. */
const SERIES_A_TURN = 50
/** Series whose days are merged in one transaction: some 50 MB of samples. */
const MERGED_AT_ONCE = 500

/** Past months exist as far back as late samples are accepted. */
export const SERIES_CHUNKS = {
  table: 'series_chunk',
  period: 'month',
  ahead: 1,
  behind: 2,
} as const satisfies Partial<PartitionPlan>

/**
 * Turns what was pushed into rows of single series: an hour's once it has ended, and those of a day into one row once this has ended.
 * Several processes may run it at once, and each sample is in one place at any time.
 */
export async function compactSeries(db: Db, clock: Clock): Promise<void> {
  const nowMs = clock.now()
  const hourMs = Math.floor((nowMs - HOUR_SETTLES_MS) / HOUR_MS) * HOUR_MS
  for (const hour of await listUncompacted(db, hourMs, nowMs - UNSENT_KEPT_MS))
    await inTransaction(db, async (transaction) => {
      const lists = new Map<number, SampleList>()
      for (const data of await takePushed(transaction, hour)) {
        decodePushed(data, lists)
        await yieldToEventLoop()
      }
      await insertChunks(transaction, hour, await chunksOf(lists), { storedAtMs: nowMs, isMerged: false })
    })
  for (const target of await listUnmerged(db, nowMs - DAY_SETTLES_MS)) while (await mergeSome(db, target, nowMs));
}

/** Merges the day of some series; false: none is left. */
function mergeSome(db: Db, target: Target & { day: string }, nowMs: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const lists = new Map<number, SampleList>()
    await lockMerge(transaction, target)
    const taken = await takeChunks(transaction, target, MERGED_AT_ONCE)
    for (const [turn, { series, data }] of taken.entries()) {
      if (turn % SERIES_A_TURN === SERIES_A_TURN - 1) await yieldToEventLoop()
      const list = lists.get(series) ?? new SampleList()
      lists.set(series, list)
      const { atMs, values } = decodeChunk(data)
      list.add(atMs, values)
    }
    await insertChunks(transaction, target, await chunksOf(lists), { storedAtMs: nowMs, isMerged: true })
    return taken.length > 0
  })
}

/** Rows of single series and UTC days. */
async function chunksOf(lists: ReadonlyMap<number, SampleList>): Promise<ChunkRow[]> {
  const rows: ChunkRow[] = []
  for (const [turn, [series, list]] of [...lists].entries()) {
    if (turn % SERIES_A_TURN === SERIES_A_TURN - 1) await yieldToEventLoop()
    for (const samples of cut(list.toSamples())) {
      const { atMs } = samples
      rows.push({
        series,
        tFirst: atMs[0] as number,
        tLast: atMs[atMs.length - 1] as number,
        samples: atMs.length,
        data: encodeChunk(samples),
      })
    }
  }
  return rows
}

/** Those of single days, and of a chunk's length. */
function cut({ atMs, values }: Samples): Samples[] {
  const parts: Samples[] = []
  for (let from = 0, to = 0; from < atMs.length; from = to) {
    const nextDayMs = (Math.floor((atMs[from] as number) / DAY_MS) + 1) * DAY_MS
    to = Math.min(placeOf(atMs, nextDayMs), from + MAX_CHUNK_SAMPLES)
    parts.push({ atMs: atMs.subarray(from, to), values: values.subarray(from, to) })
  }
  return parts
}
