/**
 * Compacts the samples of a database hour after hour in one process, as a backend that runs for weeks does, with a clock that is faster
 * than real time. After the last hour it deletes what it stored and starts again, TIMES times, because V8 compiles during the first
 * hours. Prints for each time and each hour the CPU seconds of this process and of Postgres.
 *
 *   node bench/ingest/running-job.ts URL FIRST_HOUR LAST_HOUR POSTGRES_PID TIMES
 */
import { HOUR_MS } from '../../shared/src/index.ts'
import { compactSamples, keepPartitions } from '../../backend/src/hosts/metrics/index.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { cpuOfTree } from '../lib/processes.ts'

export interface HourCost {
  own: number
  postgres: number
}

const [url = '', ...numbers] = process.argv.slice(2)
const [first = 0, last = 0, postgresPid = 0, times = 1] = numbers.map(Number)
const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2, namedStatements: true })

async function removeCompacted(): Promise<void> {
  await pool.pg.query('truncate metric_hour, metric_samples, metric_day')
  for (const [name, done] of [
    ['hour', first - 1],
    ['day', Math.floor(first / 24) - 1],
  ])
    await pool.pg.query('update metric_progress set done = $2 where name = $1', [name, done])
  // The backend has dropped those of the hours of finished days.
  await keepPartitions(pool.db, silentLog, Date.now())
}

async function compactAll(): Promise<HourCost[]> {
  const costs: HourCost[] = []
  for (let hour = first; hour <= last; hour += 1) {
    const nowMs = (hour + 1) * HOUR_MS + HOUR_MS / 2
    const postgres = cpuOfTree(postgresPid)
    const before = process.cpuUsage()
    await compactSamples(pool, { ...systemClock, now: () => nowMs })
    const { user, system } = process.cpuUsage(before)
    costs.push({ own: (user + system) / 1e6, postgres: cpuOfTree(postgresPid) - postgres })
  }
  return costs
}

const all: HourCost[][] = []
for (let time = 0; time < times; time += 1) {
  await removeCompacted()
  all.push(await compactAll())
}
await pool.end()
console.log(JSON.stringify(all))
