/**
 * Gives every monitor without history that is not paused 90 days of it, in a running installation with an embedded Postgres: what
 * pictures and figures of the page show, which an hour-old installation has not.
 *
 *   node bench/samples/check-history.ts DATA_DIR
 *
 * Days before the last seven as the job leaves them; since then a check each five minutes, compacted by the job itself. Each
 * monitor was down at some of the days, by chance with a seed; its changes of status of the last days are written with it.
 */
import { DAY_MS, HOUR_MS } from '../../shared/src/index.ts'
import { randomUUID } from 'node:crypto'
import { compactChecks, keepCheckPartitions } from '../../backend/src/monitoring/checks/index.ts'
import { Sketch } from '../../backend/src/monitoring/checks/stats/distribution.ts'
import { compactSamples } from '../../backend/src/hosts/metrics/index.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import pg from 'pg'

const DAYS = 90
/** As far back as the job begins. */
const RAW_DAYS = 7
const STEP_MS = 5 * 60_000
const CHECKS_A_DAY = 288
const DOWN = 2

interface Monitor {
  organization: number
  number: number
  region: number
}
interface Outage {
  fromMs: number
  toMs: number
}

const url = await findRunningUrl(process.argv[2] ?? '')
if (url === undefined) throw new Error('usage: node bench/samples/check-history.ts DATA_DIR, of an installation that runs')
const pool = createPool({ url, clock: systemClock, log: silentLog })
const client = new pg.Client({ connectionString: url })
await client.connect()
try {
  const nowMs = systemClock.now()
  const today = Math.floor(nowMs / DAY_MS)
  for (let day = DAYS; day >= 0; day -= 7) await keepCheckPartitions(pool.db, silentLog, nowMs - day * DAY_MS)
  const { rows } = await client.query<Monitor>(
    `select monitor.organization, monitor.number, region.number as region
     from monitor join monitor_status as now on now.organization = monitor.organization and now.monitor = monitor.number, region
     where region.id = 'local' and now.status <> 'paused'
       and not exists (select from check_day as day where day.organization = monitor.organization and day.monitor = monitor.number)
     order by monitor.number`,
  )
  for (const monitor of rows) await fillMonitor(monitor, today, nowMs)
  // The hours that the instance has compacted so far were empty.
  await client.query('delete from check_hour where hour < $1', [Math.floor(nowMs / HOUR_MS)])
  await client.query('delete from check_progress')
  await client.query("insert into check_progress (name, done) values ('day', $1), ('hour', $2)", [
    today - RAW_DAYS - 1,
    (today - RAW_DAYS) * 24 - 1,
  ])
  await compactChecks(pool.db, systemClock)
  // Hosts that joined with a day behind them: otherwise the installation would report that compaction is late.
  await compactSamples(pool, systemClock)
} finally {
  await client.end()
  await pool.end()
}

async function fillMonitor(monitor: Monitor, today: number, nowMs: number): Promise<void> {
  const random = chance(monitor.number)
  const usualUs = 20_000 + Math.round(random() * 140_000)
  await fillDays(monitor, today, usualUs, random)
  const outages = Array.from({ length: Math.floor(random() * 2) }, (): Outage => {
    const fromMs = (today - 1 - Math.floor(random() * (RAW_DAYS - 2))) * DAY_MS + Math.floor(random() * 20) * HOUR_MS
    return { fromMs, toMs: fromMs + (10 + Math.floor(random() * 50)) * 60_000 }
  })
  await fillChecks(monitor, today, nowMs, outages, usualUs, random)
  await fillTransitions(monitor, outages)
}

/** A sketch of usual response times each, and on some days checks that failed. */
async function fillDays(monitor: Monitor, today: number, usualUs: number, random: () => number): Promise<void> {
  const sketch = new Sketch()
  for (let index = 0; index < CHECKS_A_DAY; index += 1) sketch.add(Math.round(usualUs * (0.8 + random() * 0.5)))
  const days = Array.from({ length: DAYS - RAW_DAYS }, (_, index) => today - DAYS + index)
  const failed = days.map(() => (random() < 0.03 ? 1 + Math.floor(random() * 30) : 0))
  await client.query(
    `insert into check_day (response_sum_us, organization, monitor, checks, failed, answered, day, region, sketch)
     select $4, $1, $2, ${CHECKS_A_DAY}, failed, ${CHECKS_A_DAY}, date '1970-01-01' + day, $3, $5
     from unnest($6::int[], $7::int[]) as made (day, failed)`,
    [monitor.organization, monitor.number, monitor.region, usualUs * CHECKS_A_DAY, sketch.encode(), days, failed],
  )
}

async function fillChecks(
  monitor: Monitor,
  today: number,
  nowMs: number,
  outages: readonly Outage[],
  usualUs: number,
  random: () => number,
): Promise<void> {
  const at: number[] = []
  for (let instant = (today - RAW_DAYS) * DAY_MS; instant < nowMs - STEP_MS; instant += STEP_MS) at.push(instant)
  const response = at.map((instant) => {
    const busy = 1 + Math.sin((instant / DAY_MS) * 2 * Math.PI) * 0.25
    return Math.round(usualUs * busy * (0.85 + random() * 0.3) * (random() < 0.01 ? 3 : 1))
  })
  const isDown = at.map((instant) => outages.some(({ fromMs, toMs }) => instant >= fromMs && instant < toMs))
  await client.query(
    `insert into check_result (at, organization, monitor, response_us, first_byte_us, day, region, status_code, outcome)
     select at, $1, $2, response, response, (to_timestamp(at / 1000.0) at time zone 'UTC')::date, $3,
       case when down then 503 else 200 end, case when down then ${DOWN} else 0 end
     from unnest($4::bigint[], $5::int[], $6::boolean[]) as made (at, response, down)`,
    [monitor.organization, monitor.number, monitor.region, at, response, isDown],
  )
}

async function fillTransitions({ organization, number }: Monitor, outages: readonly Outage[]): Promise<void> {
  for (const { fromMs, toMs } of outages)
    await client.query(
      `insert into monitor_transition (organization, monitor, at, id, from_status, to_status, reason)
       values ($1, $2, $3, $4, 'up', 'down', 'status 503 (expected 200–399)'), ($1, $2, $5, $6, 'down', 'up', 'it answers again')`,
      [organization, number, new Date(fromMs), randomUUID(), new Date(toMs), randomUUID()],
    )
}

/** The same history each time. */
function chance(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
