/**
 * Puts the samples of a database together as a backend does that runs: once an hour, in one process. Its clock goes from hour to
 * hour, faster than life. When it is through it takes away what it made and begins again, as often as it is told: a backend runs
 * for weeks, and V8 compiles for the first hours and days of them. Prints of each time the seconds of CPU that each hour took it and the
 * process of Postgres behind its connections.
 *
 *   node bench/running-job.ts URL FIRST_HOUR LAST_HOUR POSTGRES_PID TIMES MEANS_BYTES
 */
import { compactSamples, createMeans } from '../backend/src/metrics/index.ts'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool } from '../backend/src/platform/db/index.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { cpuOfTree } from './processes.ts'

export interface HourTold {
  own: number
  postgres: number
}

const HOUR_MS = 3_600_000
const [url = '', ...numbers] = process.argv.slice(2)
const [first = 0, last = 0, postgresPid = 0, times = 1, meansBytes] = numbers.map(Number)
const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2, namedStatements: true })

async function forget(): Promise<void> {
  await pool.pg.query('truncate metric_hour, metric_day')
  for (const [name, done] of [
    ['hour', first - 1],
    ['day', Math.floor(first / 24) - 1],
  ])
    await pool.pg.query('update metric_progress set done = $2 where name = $1', [name, done])
}

async function goThrough(): Promise<HourTold[]> {
  const means = createMeans(meansBytes)
  const told: HourTold[] = []
  for (let hour = first; hour <= last; hour += 1) {
    const nowMs = (hour + 1) * HOUR_MS + HOUR_MS / 2
    const postgres = cpuOfTree(postgresPid)
    const before = process.cpuUsage()
    await compactSamples(pool, { ...systemClock, now: () => nowMs }, means)
    const { user, system } = process.cpuUsage(before)
    told.push({ own: (user + system) / 1e6, postgres: cpuOfTree(postgresPid) - postgres })
  }
  return told
}

const all: HourTold[][] = []
for (let time = 0; time < times; time += 1) {
  await forget()
  all.push(await goThrough())
}
await pool.end()
console.log(JSON.stringify(all))
