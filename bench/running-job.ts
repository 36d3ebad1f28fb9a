/**
 * Puts the samples of a database together as a backend does that runs: once an hour, in one process. Its clock goes from hour to
 * hour, faster than life. Prints the seconds of CPU that each hour took it and the process of Postgres behind its connections.
 *
 *   node bench/running-job.ts URL FIRST_HOUR LAST_HOUR POSTGRES_PID
 */
import { compactSamples } from '../backend/src/metrics/index.ts'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool } from '../backend/src/platform/db/index.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { cpuOfTree } from './processes.ts'

const HOUR_MS = 3_600_000
const [url = '', ...numbers] = process.argv.slice(2)
const [first = 0, last = 0, postgresPid = 0] = numbers.map(Number)
const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2, namedStatements: true })
const told: { own: number; postgres: number }[] = []
for (let hour = first; hour <= last; hour += 1) {
  const nowMs = (hour + 1) * HOUR_MS + HOUR_MS / 2
  const postgres = cpuOfTree(postgresPid)
  const before = process.cpuUsage()
  await compactSamples(pool.db, { ...systemClock, now: () => nowMs })
  const { user, system } = process.cpuUsage(before)
  told.push({ own: (user + system) / 1e6, postgres: cpuOfTree(postgresPid) - postgres })
}
await pool.end()
console.log(JSON.stringify(told))
