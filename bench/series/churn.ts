import { memoryOf, median } from '../lib/processes.ts'
import type { Figure } from '../lib/result.ts'
import { bodyOf, chunksOf, labelsOf, sendAll } from './requests.ts'
import type { World } from './world.ts'

const MINUTE_MS = 60_000
/** A series lives for this time, with a sample a minute. */
const LIFE_MINUTES = 10
const AT_ONCE_ALIVE = 5_000
const PER_REQUEST = 2_000
const AT_ONCE = 4
const ROUNDS = 8
/** Generations of an hour. */
const MOST_COMPACTED_AT_ONCE = 6

/** What so many series with lives of ten minutes, one generation after the other, do to reads and to the memory of the backend. */
export async function measureChurn(world: World, series: number): Promise<Figure[]> {
  const generations = Math.ceil(series / AT_ONCE_ALIVE)
  const compactedAtOnce = Math.min(generations, MOST_COMPACTED_AT_ONCE)
  const lifeMs = LIFE_MINUTES * MINUTE_MS
  const startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - (generations + 1) * lifeMs
  const read = async (generation: number) => {
    const times: number[] = []
    let cpu = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const [start, before] = [performance.now(), world.cpu()]
      // Another instant each time: the same one would be kept.
      const time = String((startMs + generation * lifeMs + 5 * MINUTE_MS) / 1_000 + round)
      const answer = await world.query('query', { query: 'count(short_lived)', time })
      if (!answer.includes(`"${AT_ONCE_ALIVE}"`)) throw new Error(answer.slice(0, 300))
      if (round <= 1) continue
      times.push(performance.now() - start)
      cpu += world.cpu() - before
    }
    return { ms: median(times), cpuMs: Math.round((cpu * 1_000) / times.length) }
  }
  const memory = () => memoryOf([world.backend.backendPid]).anonymous
  let [first, halfMb, compactions] = [{ ms: 0, cpuMs: 0 }, 0, 0]
  for (let generation = 0; generation < generations; generation += 1) {
    const labels = Array.from({ length: AT_ONCE_ALIVE }, (_, index) =>
      labelsOf({ __name__: 'short_lived', job: 'churn', instance: `pod-${index % 50}`, id: `${generation}-${index}` }),
    )
    for (let minute = 0; minute < LIFE_MINUTES; minute += 1) {
      const atMs = startMs + generation * lifeMs + minute * MINUTE_MS
      const samples = labels.map((own, index) => ({ labels: own, value: index + minute, atMs }))
      await sendAll(world.receiver, chunksOf(samples, PER_REQUEST).map(bodyOf), AT_ONCE)
    }
    // As if it had lived at the time of its samples.
    await world.pool.pg.query(
      `update received_series set first_seen = $1, last_seen = $2 where name = 'short_lived' and labels ->> 'id' like $3`,
      [startMs + generation * lifeMs, startMs + (generation + 1) * lifeMs, `${generation}-%`],
    )
    if (generation === 0) first = await read(0)
    if (generation === generations >> 1) halfMb = memory()
    if ((generation + 1) % compactedAtOnce === 0) compactions += await world.compactAt(startMs + (generation + 1) * lifeMs)
  }
  await world.pool.pg.query('analyze')
  const last = await read(generations - 1)
  return [
    { name: `read of ${AT_ONCE_ALIVE} series, before others have come and gone`, value: first.ms, unit: 'ms' },
    {
      name: `the same after ${series} series`,
      value: last.ms,
      unit: 'ms',
      peer: { name: 'before', value: first.ms, goal: { atMost: 2 } },
    },
    {
      name: `CPU of one such read after ${series} series`,
      value: last.cpuMs,
      unit: 'ms',
      peer: { name: 'before', value: first.cpuMs, goal: { atMost: 2 } },
    },
    {
      name: 'memory of the backend after all of them',
      value: memory(),
      unit: 'MB',
      peer: { name: 'after half of them', value: halfMb, goal: { atMost: 1.1 } },
    },
    { name: 'CPU of their compaction', value: compactions, unit: 's' },
  ]
}
