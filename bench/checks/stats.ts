/**
 * The time to read the stats of a monitor over 7 and 30 days. Prints one line of JSON. Part of `npm run bench -- checks`.
 *
 *   node bench/checks/stats.ts [--rounds 20]
 *
 * One monitor with 3 regions at 30 s and 99 at 5 minutes, 31 days of checks of each in a new embedded Postgres, compacted. The figures
 * are medians over HTTP in ms, warm.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { compactChecks, keepCheckPartitions } from '../../backend/src/monitoring/checks/index.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { encodeId } from '../../backend/src/platform/ids.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { signIn, startBackend } from '../lib/backend.ts'
import { median, round2 } from '../lib/processes.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const rounds = Number(values.rounds)
const DAY = 86_400_000

async function seed(database: pg.Client): Promise<string> {
  const { rows } = await database.query<{ number: number }>('select number from organization')
  const organization = rows[0]?.number as number
  await database.query("insert into region (id, name, created_at) values ('a', 'a', now()), ('b', 'b', now()), ('c', 'c', now())")
  const monitors: number[] = []
  const id = randomUUID()
  for (let index = 0; index < 100; index += 1) {
    const seconds = index === 0 ? 30 : 300
    const made = await database.query<{ number: number }>(
      `insert into monitor (organization, id, name, type, url, method, interval_seconds, timeout_seconds, regions, assertions,
         follow_redirects, verify_tls, confirmations, tags, created_at, updated_at)
       values ($1, $2, 'm', 'http', 'http://example.com/', 'GET', $3, 10, '{a}', '[]', true, true, 2, '{}', now(), now())
       returning number`,
      [organization, index === 0 ? id : randomUUID(), seconds],
    )
    monitors.push(made.rows[0]?.number as number)
  }
  // By time, as they come: the checks of one monitor lie far apart.
  await database.query(
    `insert into check_result (at, organization, monitor, response_us, day, region, outcome)
     select at, $1, monitor, (20000 * exp(random() * 3))::int, (to_timestamp(at / 1000.0) at time zone 'UTC')::date, region,
       case when random() < 0.01 then 2 else 0 end
     from (
       select (extract(epoch from now()) * 1000)::bigint - tick::bigint * 30000 + monitor % 30000 as at, monitor, region.number as region
       from generate_series(1, 31 * 2880) as tick, unnest($2::int[]) as monitor, region
       where (monitor = $3 and region.id in ('a', 'b', 'c')) or (region.id = 'a' and tick % 10 = monitor % 10)
     ) as grid order by at`,
    [organization, monitors, monitors[0]],
  )
  await database.query('analyze')
  return encodeId('monitor', id)
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < rounds; index += 1) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return round2(median(times))
}

const backend = await startBackend('serve')
try {
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const pool = createPool({ url, clock: systemClock, log: silentLog })
  const now = systemClock.now()
  for (let day = 35; day >= 0; day -= 7) await keepCheckPartitions(pool.db, silentLog, now - day * DAY)
  const id = await seed(backend.database)
  // The job alone would begin a week ago.
  await backend.database.query('delete from check_progress')
  for (let day = 24; day >= 0; day -= 7) await compactChecks(pool.db, { ...systemClock, now: () => now - day * DAY })
  await compactChecks(pool.db, systemClock)
  await pool.end()

  const headers = { authorization: `Bearer ${await signIn(backend.url)}` }
  const stats = async (query: string) => {
    const response = await fetch(`${backend.url}/v1/monitors/${id}/stats?${query}`, { headers })
    if (response.status !== 200) throw new Error(await response.text())
    await response.json()
  }
  const medianOf = (period: string) => millisecondsOf(() => stats(`period=${period}`))
  console.log(JSON.stringify({ '7d': await medianOf('7d'), '30d': await medianOf('30d') }))
} finally {
  await backend.stop()
}
