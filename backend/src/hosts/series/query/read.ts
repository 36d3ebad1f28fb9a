import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { decodeChunk } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { readPushed } from '../storage/push-store.ts'
import { decodeWanted } from '../storage/pushed.ts'
import { SampleList, type Samples, within } from '../storage/samples.ts'
import type { FoundSeries } from '../storage/series-store.ts'

/** Rows decoded before others have a turn: some 2 ms. */
const ROWS_A_TURN = 50
/** Series of one statement. */
const SERIES_AT_ONCE = 1_000

/** The samples of these series in [fromMs, toMs), by number; of those that have any. */
export async function readSeries(
  db: Db,
  organization: number,
  series: readonly Pick<FoundSeries, 'number' | 'target'>[],
  window: { fromMs: number; toMs: number },
): Promise<Map<number, Samples>> {
  const lists = new Map(series.map(({ number }) => [number, new SampleList()]))
  const ordered = Float64Array.from(lists.keys()).sort()
  let rows = 0
  const turn = async () => {
    if (++rows % ROWS_A_TURN === 0) await yieldToEventLoop()
  }
  // What is compacted between the two is in both, and none is in neither. What is added first stands, and what is stored came before.
  const pushed = await readPushed(db, organization, [...new Set(series.map(({ target }) => target))], window)
  for (let at = 0; at < series.length; at += SERIES_AT_ONCE) {
    const numbers = series.slice(at, at + SERIES_AT_ONCE).map(({ number }) => number)
    for (const { series: number, data } of await readChunks(db, organization, numbers, window)) {
      const { atMs, values } = decodeChunk(data)
      lists.get(number)?.add(atMs, values)
      await turn()
    }
  }
  for (const data of pushed) {
    decodeWanted(data, lists, ordered)
    await turn()
  }
  const found = new Map<number, Samples>()
  for (const [number, list] of lists) {
    const samples = within(list.toSamples(), window.fromMs, window.toMs)
    if (samples.atMs.length > 0) found.set(number, samples)
  }
  return found
}
