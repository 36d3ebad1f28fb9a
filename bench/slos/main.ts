/**
 * SLOs and uptime reports of many monitors.
 *
 *   npm run bench -- slos [--monitors 1000] [--rounds 3]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own, with --monitors monitors that have one check a
 * minute: 90 days as days, 35 days as hours, and the current hour as single checks. All alerts of an SLO are evaluated in this process,
 * as the job does at most every five minutes, then its status is read, and the uptime report of 200 monitors over 90 days; CPU is that
 * of this process and of Postgres.
 *
 * Goals: 1 s of CPU for the job, 2 s for a report.
 */
import { parseArgs } from 'node:util'
import { encodeChecks } from '../../backend/src/monitoring/checks/stats/hour-block.ts'
import { Sketch } from '../../backend/src/monitoring/checks/stats/distribution.ts'
import { keepCheckPartitions } from '../../backend/src/monitoring/checks/results/partitions.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { evaluateSlos } from '../../backend/src/monitoring/slos/index.ts'
import { NOTHING, seedGrowth } from '../growth/seed.ts'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { cpuOf, cpuOfTree, median } from '../lib/processes.ts'
import { type Figure, printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: { monitors: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '3' } },
})
const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000]
/** What one report takes. */
const REPORTED = 200
const HOURS_KEPT_DAYS = 35
const DAYS = 90
/** Different blocks of an hour, as 40 ms to 400 ms and 600 ms now and then. */
const BLOCKS = 97

const backend = await startBackend('serve', [], { VEDETTE_LOCAL_AGENT: 'off' })
const databaseUrl = (await findRunningUrl(backend.dataDir)) as string
const details: object[] = []
const pool = createPool({ url: databaseUrl, clock: systemClock, log: silentLog })
try {
  await seed()
  const authorization = `Bearer ${await signIn(backend.url)}`
  const make = async (kind: 'availability' | 'latency', tag: string) => {
    const body = {
      name: `${kind} of ${tag}`,
      kind,
      threshold_ms: kind === 'latency' ? 250 : null,
      target: { tag },
      objective: 99,
    }
    return ((await post(`${backend.url}/v1/slos`, { authorization }, body)) as { id: string }).id
  }
  const figures: Figure[] = []
  for (const kind of ['availability', 'latency'] as const)
    for (const tag of ['first', 'all']) {
      const count = tag === 'all' ? values.monitors : REPORTED
      const id = await make(kind, tag)
      const job = await measure(() => evaluateSlos({ db: pool.db, clock: systemClock, log: silentLog }), process.pid)
      figures.push({ name: `job, ${kind} of ${count} monitors`, value: job.cpu, unit: 's', goal: { atMost: 1 } })
      const status = await measure(() => read(`/v1/slos/${id}`, authorization), backend.backendPid)
      figures.push({ name: `status, ${kind} of ${count} monitors over 30 days`, value: status.seconds, unit: 's' })
      details.push({ kind, tag, job, status })
      await fetch(`${backend.url}/v1/slos/${id}`, { method: 'DELETE', headers: { authorization } })
    }
  const from = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  const path = `/v1/reports/uptime?tag=first&from=${from}&to=${new Date().toISOString()}`
  const report = await measure(() => read(path, authorization), backend.backendPid)
  figures.push({
    name: `report of ${REPORTED} monitors over ${DAYS} days`,
    value: report.seconds,
    unit: 's',
    goal: { atMost: 2 },
  })
  printFigures(figures, { ...values, report, details })
} finally {
  await pool.end()
  await backend.stop()
}

async function read(path: string, authorization: string): Promise<void> {
  const answer = await fetch(backend.url + path, { headers: { authorization } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
}

/** The median of the rounds after a first one; seconds of wall time, and of CPU of a process and of Postgres. */
async function measure(task: () => Promise<void>, pid: number) {
  const rounds: { seconds: number; own: number; postgres: number; cpu: number }[] = []
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const [at, own, postgres] = [performance.now(), cpuOf(pid), cpuOfTree(backend.postgresPid)]
    await task()
    const used = { own: cpuOf(pid) - own, postgres: cpuOfTree(backend.postgresPid) - postgres }
    rounds.push({ seconds: (performance.now() - at) / 1000, ...used, cpu: used.own + used.postgres })
  }
  const counted = rounds.slice(1)
  return {
    first: rounds[0]?.cpu,
    seconds: median(counted.map(({ seconds }) => seconds)),
    own: median(counted.map(({ own }) => own)),
    postgres: median(counted.map(({ postgres }) => postgres)),
    cpu: median(counted.map(({ cpu }) => cpu)),
  }
}

/** The tag `all` is that of all monitors, `first` that of those in the report. */
async function seed(): Promise<void> {
  const { database } = backend
  await seedGrowth(database, databaseUrl, NOTHING, { ...NOTHING, monitors: Number(values.monitors) })
  await database.query(
    `update monitor set tags = case when place <= ${REPORTED} then '{all,first}' else '{all}' end::text[]
    from (select number as n, row_number() over (order by number) as place from monitor) as ordered where n = number`,
  )
  await database.query('truncate check_hour, check_day, check_result')
  const nowMs = Date.now()
  for (let day = DAYS + 1; day >= 0; day -= 14) await keepCheckPartitions(pool.db, silentLog, nowMs - day * DAY_MS)
  const hours = Array.from({ length: BLOCKS }, (_, block) =>
    Array.from({ length: 60 }, (_each, minute) => ({
      atMs: minute * 60_000,
      outcome: 0,
      responseUs: minute === block ? 600_000 : 40_000 + ((minute * 7_919 + block * 104_729) % 360_000),
    })),
  )
  const sketches = hours.map((checks) => {
    const sketch = new Sketch()
    for (let hour = 0; hour < 24; hour += 1) for (const { responseUs } of checks) sketch.add(responseUs + hour * 997)
    return sketch.encode()
  })
  const [today, hour] = [Math.floor(nowMs / DAY_MS), Math.floor(nowMs / HOUR_MS)]
  await database.query(
    `insert into check_day (response_sum_us, organization, monitor, checks, failed, answered, day, region, sketch)
    select 1440 * 200000, organization, number, 1440, 1, 1440, date '1970-01-01' + day, 1, ($3::bytea[])[1 + (number + day) % ${BLOCKS}]
    from monitor, generate_series($1::int, $2::int - 1) as day`,
    [today - DAYS, today, sketches],
  )
  await database.query(
    `insert into check_hour (response_sum_us, organization, monitor, hour, checks, failed, answered, day, region, data)
    select 60 * 200000, organization, number, hour, 60, (hour % 24 = 0)::int, 60, date '1970-01-01' + hour / 24, 1,
      ($3::bytea[])[1 + (number + hour) % ${BLOCKS}]
    from monitor, generate_series($1::int, $2::int - 1) as hour`,
    [(today - HOURS_KEPT_DAYS) * 24, hour, hours.map((checks) => encodeChecks(0, checks))],
  )
  await database.query(
    `insert into check_result (at, organization, monitor, response_us, day, region, status_code, outcome)
    select at, organization, number, 40000 + (at / 60000 * 7919 + number) % 360000,
      (to_timestamp(at / 1000.0) at time zone 'UTC')::date, 1, 200, case when at / 60000 % 1440 = 0 then 2 else 0 end
    from monitor, generate_series($1::bigint, $2, 60000) as at`,
    [hour * HOUR_MS, nowMs],
  )
  await database.query('delete from check_progress')
  await database.query("insert into check_progress (name, done) values ('day', $1), ('hour', $2)", [today - 1, hour - 1])
  await database.query('vacuum analyze')
}
