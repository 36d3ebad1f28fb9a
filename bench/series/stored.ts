import { DAY_MS, HOUR_MS } from '../../shared/src/index.ts'
import { median, round2 } from '../lib/processes.ts'
import type { Figure } from '../lib/result.ts'
import { createFleet, STEP_MS } from './fleet.ts'
import type { RecordedSeries } from './recording.ts'
import { sendAll } from './requests.ts'
import { sizeOf, type World } from './world.ts'

const PER_REQUEST = 2_000
const AT_ONCE = 2
const SCRAPES_AT_ONCE = 60
const ROUNDS = 10
/** Series of the many that are read over an hour, and of the few that last a week. */
const [MANY, FEW] = [2_000, 20]

/** Bytes a point in each form, what the kinds of series take of them, and the time of reads. */
export async function measureStored(
  world: World,
  recorded: readonly RecordedSeries[],
): Promise<{ figures: Figure[]; details: object }> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const dayMs = today - 2 * DAY_MS
  const points = recorded.length * (DAY_MS / STEP_MS)
  const before = { push: await sizeOf(world, 'series_push'), chunk: await sizeOf(world, 'series_chunk') }
  await backfill(world, 'day', recorded, recorded.length, dayMs, DAY_MS)
  const pushed = (await sizeOf(world, 'series_push')) - before.push
  // The hours have ended, and the day is not merged yet.
  const hourSeconds = await world.compactAt(dayMs + DAY_MS + 600_000)
  const hours = (await sizeOf(world, 'series_chunk')) - before.chunk
  const daySeconds = await world.compactAt(dayMs + DAY_MS + 3 * HOUR_MS)
  // The hours' room would be used again by other rows.
  await world.pool.pg.query('vacuum full series_chunk')
  const days = (await sizeOf(world, 'series_chunk')) - before.chunk
  const kinds = await costOfKinds(world, points)

  await backfill(world, 'week', recorded.slice(0, FEW), FEW, dayMs - 5 * DAY_MS, 7 * DAY_MS)
  const many = Math.ceil(MANY / recorded.length) * recorded.length
  await backfill(world, 'many', recorded, many, today - DAY_MS + 12 * HOUR_MS, HOUR_MS)
  const name = recorded[0]?.name ?? ''
  const readWeek = () =>
    world.query('query_range', {
      query: `${name}{job="week"}`,
      start: String((dayMs - 5 * DAY_MS) / 1_000),
      end: String((dayMs + 2 * DAY_MS) / 1_000),
      step: '600',
    })
  const readMany = () =>
    world.query('query_range', {
      query: 'count({job="many"})',
      start: String((today - DAY_MS + 12 * HOUR_MS) / 1_000),
      end: String((today - DAY_MS + 13 * HOUR_MS) / 1_000),
      step: '15',
    })
  const openMs = await timeOf(readMany)
  await world.compactAt(Date.now())
  await world.pool.pg.query('analyze')
  const perPoint = (bytes: number) => bytes / points
  return {
    figures: [
      { name: 'pushed samples, with indexes', value: perPoint(pushed), unit: 'bytes a point' },
      { name: 'samples of single hours, with indexes', value: perPoint(hours), unit: 'bytes a point' },
      { name: 'samples of single days, with indexes', value: perPoint(days), unit: 'bytes a point', goal: { atMost: 1.2 } },
      { name: 'CPU of compaction into hours', value: (hourSeconds / points) * 1e6, unit: 's a million samples' },
      { name: 'CPU of compaction into days', value: (daySeconds / points) * 1e6, unit: 's a million samples' },
      { name: 'one series over 7 days', value: await timeOf(readWeek), unit: 'ms' },
      { name: `${many} series over an hour, not compacted`, value: openMs, unit: 'ms' },
      { name: 'the same, compacted', value: await timeOf(readMany), unit: 'ms' },
    ],
    details: { points, kinds },
  }
}

async function backfill(
  { receiver }: World,
  job: string,
  recorded: readonly RecordedSeries[],
  series: number,
  fromMs: number,
  lengthMs: number,
): Promise<void> {
  const fleet = createFleet(job, recorded, series)
  for (let atMs = fromMs; atMs < fromMs + lengthMs; atMs += SCRAPES_AT_ONCE * STEP_MS)
    await sendAll(receiver, fleet.scrape(atMs, SCRAPES_AT_ONCE, PER_REQUEST), AT_ONCE)
}

/** Of the names that take most: their share of all bytes of values, percent, and bytes a point. */
async function costOfKinds({ pool }: World, points: number) {
  const { rows } = await pool.pg.query<{ name: string; series: number; bytes: number }>(
    `select name, count(distinct number)::int as series, sum(length(data))::float8 as bytes
     from series_chunk join received_series on number = series where labels ->> 'job' = 'day' group by 1 order by 3 desc`,
  )
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  const each = DAY_MS / STEP_MS
  return {
    bytesOfValuesAPoint: round2(all / points),
    most: rows.slice(0, 15).map(({ name, series, bytes }) => ({
      name,
      series,
      percent: round2((bytes / all) * 100),
      bytesAPoint: round2(bytes / series / each),
    })),
  }
}

async function timeOf(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    await read()
    if (round > 2) times.push(performance.now() - start)
  }
  return median(times)
}
