import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { decodeChunk } from '../storage/chunk.ts'
import { countSamples, readChunks } from '../storage/chunk-store.ts'
import { readPushed } from '../storage/push-store.ts'
import { decodeWanted } from '../storage/pushed.ts'
import { SampleList, type Samples, within } from '../storage/samples.ts'
import type { FoundSeries } from '../storage/series-store.ts'

/** Rows decoded before others have a turn: some 2 ms. */
const ROWS_A_TURN = 50
/** Series of one statement that reads, and of one that counts. */
const [READ_AT_ONCE, COUNTED_AT_ONCE] = [1_000, 10_000]

/**
 * The samples of these series in [fromMs, toMs), by number; of those that have any. `bound` is given how many samples there are before
 * they are read, and then as they are read: it throws where that is too much.
 */
export async function readSeries(
  db: Db,
  organization: number,
  series: readonly Pick<FoundSeries, 'number' | 'target'>[],
  window: { fromMs: number; toMs: number },
  bound: (samples: number) => void,
): Promise<Map<number, Samples>> {
  const ordered = Float64Array.from(series, ({ number }) => number).sort()
  const lists = new Map<number, SampleList>()
  let [counted, rows] = [0, 0]
  const turn = async () => {
    if (++rows % ROWS_A_TURN === 0) await yieldToEventLoop()
  }
  // What is compacted between the two is in both, and none is in neither. What is added first stands, and what is stored came before.
  const pushed = await readPushed(db, organization, [...new Set(series.map(({ target }) => target))], window)
  // Most of them may have none in the window, as where series live for minutes.
  for (const numbers of batchesOf(ordered, COUNTED_AT_ONCE))
    for (const found of await countSamples(db, organization, [...numbers], window)) {
      lists.set(found.series, new SampleList())
      bound((counted += found.samples))
    }
  for (const numbers of batchesOf([...lists.keys()], READ_AT_ONCE)) {
    for (const { series: number, data } of await readChunks(db, organization, [...numbers], window)) {
      const { atMs, values } = decodeChunk(data)
      lists.get(number)?.add(atMs, values)
      await turn()
    }
  }
  for (const data of pushed) {
    counted += decodeWanted(data, lists, ordered)
    bound(counted)
    await turn()
  }
  const found = new Map<number, Samples>()
  for (const [number, list] of lists) {
    const samples = within(list.toSamples(), window.fromMs, window.toMs)
    if (samples.atMs.length > 0) found.set(number, samples)
  }
  return found
}

const batchesOf = (numbers: Float64Array | readonly number[], size: number) =>
  Array.from({ length: Math.ceil(numbers.length / size) }, (_, index) => numbers.slice(index * size, (index + 1) * size))
