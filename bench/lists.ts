/**
 * What a page of monitors and the overview take in a full database, over HTTP: one JSON line.
 *
 *   npm run bench:lists -- [--monitors 2000] [--servers 1000] [--rounds 100]
 *
 * So many monitors checked each minute in one region, in a new embedded Postgres: 90 days, today's hours and the checks of the hour
 * under way as the job leaves them, written by SQL (each day and hour has one sketch and block of real size, the same for all); and
 * servers of which each pushed once. Pages of 100, one after the other, over a kept connection, to the last byte; the first fifth does
 * not count. `readMs`: what the one statement of uptime takes with what is made of it, in this process. Goal: p95 ≤ 100 ms.
 * Not measured: cold reads, other loads beside.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import { keepCheckPartitions, readUptime } from '../backend/src/checks/index.ts'
import { encodeChecks } from '../backend/src/checks/stats/block.ts'
import { DAY_MS, HOUR_MS } from '../backend/src/checks/stats/cut.ts'
import { Sketch } from '../backend/src/checks/stats/distribution.ts'
import { systemClock } from '../backend/src/platform/clock.ts'
import { createPool } from '../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../backend/src/platform/log.ts'
import { type BenchBackend, OWNER, registerServers, startBackend } from './backend.ts'
import { round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '2000' },
    servers: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '100' },
  },
})
const [monitors, servers, rounds] = [values.monitors, values.servers, values.rounds].map(Number) as [number, number, number]
const DAYS = 90
const CHECKS_A_DAY = 1_440

/** Like those of a site over the sea: 80 ms and a long tail. */
const responseUs = (index: number) => Math.round(80_000 + (index % 97) * 700 + (index % 400 === 0 ? 900_000 : 0))

async function seed({ database }: BenchBackend, nowMs: number): Promise<void> {
  await database.query("insert into region (id, name, created_at) values ('local', 'local', now()) on conflict (id) do nothing")
  await database.query(
    `with made as (
      insert into monitor (organization, id, name, type, url, method, interval_seconds, timeout_seconds, regions, assertions,
        follow_redirects, verify_tls, confirmations, tags, created_at, updated_at)
      select organization.number, gen_random_uuid(), 'monitor ' || n, 'http', 'https://site-' || n || '.example.com/', 'GET', 60, 10,
        '{local}', '[]', true, true, 2, '{}', now(), now()
      from organization, generate_series(1, $1::int) as n
      returning organization, number
    ), judged as (
      insert into monitor_status (organization, monitor, status, since)
      select organization, number, case when number % 40 = 0 then 'down' else 'up' end, now() from made
    )
    insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, last_checked_at,
      last_conclusive_at, failures, successes, state)
    select made.organization, made.number, region.number, 60, null, 0, 0, 1, $2, $2, 0, 0, 'up' from made, region`,
    [monitors, nowMs],
  )
  const day = Math.floor(nowMs / DAY_MS)
  const hour = Math.floor(nowMs / HOUR_MS)
  const sketch = new Sketch()
  for (let index = 0; index < CHECKS_A_DAY; index += 1) sketch.add(responseUs(index))
  const block = encodeChecks(
    0,
    Array.from({ length: 60 }, (_, index) => ({ atMs: index * 60_000, outcome: 0, responseUs: responseUs(index) })),
  )
  const common = 'from monitor, region'
  await database.query(
    `insert into check_day (response_sum_us, organization, monitor, checks, failed, answered, day, region, sketch)
     select 115200000, organization, monitor.number, 1440, (monitor.number + n) % 3, 1440, date '1970-01-01' + n, region.number, $3
     ${common}, generate_series($1::int, $2::int) as n`,
    [day - DAYS, day - 1, sketch.encode()],
  )
  await database.query(
    `insert into check_hour (response_sum_us, organization, monitor, hour, checks, failed, answered, day, region, data)
     select 4800000, organization, monitor.number, n, 60, 0, 60, date '1970-01-01' + n / 24, region.number, $3
     ${common}, generate_series($1::int, $2::int) as n`,
    [day * 24, hour - 1, block],
  )
  // Where the page's other figures begin: the first day and the hour under way of seven days and of one.
  await database.query(
    `insert into check_hour (response_sum_us, organization, monitor, hour, checks, failed, answered, day, region, data)
     select 4800000, organization, monitor.number, n, 60, 0, 60, date '1970-01-01' + n / 24, region.number, $3
     ${common}, unnest($1::int[], $2::int[]) as span (first, last), generate_series(first, last) as n`,
    [[(day - 7) * 24, (day - 1) * 24], [(day - 6) * 24 - 1, day * 24 - 1], block],
  )
  await database.query(
    `insert into check_result (at, organization, monitor, response_us, day, region, status_code, outcome)
     select n, organization, monitor.number, 80000 + n % 97, (to_timestamp(n / 1000.0) at time zone 'UTC')::date, region.number, 200, 0
     ${common}, generate_series($1::bigint, $2::bigint, 60000) as n`,
    [hour * HOUR_MS, nowMs],
  )
  await database.query('delete from check_progress')
  await database.query("insert into check_progress (name, done) values ('day', $1), ('hour', $2)", [day - 1, hour - 1])
  await database.query('vacuum analyze')
}

const agent = new Agent({ keepAlive: true })

/** Reads an answer to its end. Throws when it is no success. */
function read(url: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = request(url, { headers, agent }, (answer) => {
    let bytes = 0
    answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
    answer.once('error', reject)
    answer.once('end', () => (answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url}: ${answer.statusCode}`))))
  })
  sent.once('error', reject)
  sent.end()
  return promise
}

async function timesOf(run: (index: number) => Promise<unknown>) {
  const times: number[] = []
  for (let index = 0; index < rounds * 1.25; index += 1) {
    const start = performance.now()
    await run(index)
    if (index >= rounds / 4) times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => round2(times[Math.ceil(times.length * share) - 1] as number)
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) }
}

const backend = await startBackend('serve', [], { VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' })
try {
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const pool = createPool({ url, clock: systemClock, log: silentLog })
  const nowMs = systemClock.now()
  for (let day = DAYS; day >= 0; day -= 7) await keepCheckPartitions(pool.db, silentLog, nowMs - day * DAY_MS)
  const tokens = await registerServers(backend, servers)
  await seed(backend, nowMs)
  for (const token of tokens) await push(token)

  const signedIn = await fetch(`${backend.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  })
  const headers = { authorization: `Bearer ${((await signedIn.json()) as { token: string }).token}` }
  const pages = Math.max(1, Math.floor(monitors / 100))
  const list = (query: string) =>
    timesOf((index) => read(`${backend.url}/v1/monitors?limit=100&page=${(index % pages) + 1}${query}`, headers))
  const figures: Record<string, unknown> = {
    list: await list(''),
    'list with sparkline': await list('&include=sparkline'),
    'list with uptime': await list('&include=uptime'),
    'list with both': await list('&include=sparkline,uptime'),
    overview: await timesOf(() => read(`${backend.url}/v1/overview`, headers)),
  }
  const bytes = await read(`${backend.url}/v1/monitors?limit=100&include=uptime`, headers)
  const { rows } = await backend.database.query<{ organization: number; number: number }>(
    'select organization, number from monitor order by number limit 100',
  )
  const numbers = rows.map(({ number }) => number)
  const readMs = await timesOf(() => readUptime(pool.db, rows[0]?.organization as number, numbers, nowMs))
  await pool.end()
  console.log(JSON.stringify({ bench: 'lists', monitors, servers, figures, uptimeBytes: bytes, readMs }))
} finally {
  agent.destroy()
  await backend.stop()
}

async function push(token: string): Promise<void> {
  const at = new Date().toISOString()
  const response = await fetch(`${backend.url}/v1/agent/metrics`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': token },
    body: JSON.stringify({
      batch_id: randomUUID(),
      sent_at: at,
      agent_version: '1.0.0',
      samples: [{ at, cpu: { percent: 12.5 }, memory: { percent: 40 } }],
    }),
  })
  if (response.status !== 202) throw new Error(await response.text())
}
