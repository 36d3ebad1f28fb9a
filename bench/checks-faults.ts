/**
 * Faults of the check engine at their real size, one JSON line each:
 *
 *   npm run faults:checks -- [--only C1|C2|C3|F9|F11] [--seconds 60] [--runs 30] [--stopped-seconds 30]
 *
 * C1  10,000 monitors every 30 s of which 10, 30 and 50 % never answer within their 10 s: the others are late by ≤ 100 ms (p99),
 *     and nothing is left out.
 * C2  Targets that break off at each byte, flood, lie or fail in TLS, one by one: the right code each, an end within the time limit
 *     and 100 ms, and at most 5 MB of memory.
 * C3  The database is stopped for so long while 1,000 monitors are checked: nothing is down, and what was made is stored.
 * F9  Two workers share 200 monitors every 10 s; one of them is stopped (SIGSTOP), or killed every third time. The other one takes
 *     over within an interval and five seconds, no check is stored twice, and what the stopped one brings when it wakes counts for
 *     nothing.
 * F11 Names that do not exist, whose server fails or is silent, or whose address changes, 20 each, beside 200 that are well: the error
 *     is `dns`, and the others are not later than without them.
 */
import { parseArgs } from 'node:util'
import {
  type CheckWorld,
  holdAll,
  type Lateness,
  latenessOf,
  makeMonitors,
  type MonitorWish,
  outcomes,
  startCheckWorld,
} from './check-world.ts'
import { checkBrokenTargets } from './broken.ts'
import type { Child } from './child.ts'
import { checkFailingNames } from './failing-names.ts'
import { median, round2, treeOf } from './processes.ts'
import { sleep } from './sleep.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string', default: '30' },
    'stopped-seconds': { type: 'string', default: '30' },
  },
})
const wanted = (name: string) => values.only === undefined || values.only === name
const tell = (what: object) => console.log(JSON.stringify(what))

/**
 * When they are due first. Making thousands takes seconds beside other load; monitors that are overdue by then would be moved, and every
 * figure with them.
 */
async function makeInTime(world: CheckWorld, wish: MonitorWish): Promise<number> {
  const firstDueMs = Date.now() + 2_000 + 3 * wish.count
  await makeMonitors(world, wish, firstDueMs)
  if (Date.now() > firstDueMs - 1_000) throw new Error(`${wish.count} monitors were not made in time`)
  return firstDueMs
}

/** Checks whose turn did not come before the next one was due, of healthy targets and of hanging ones. */
async function notBegun({ backend }: CheckWorld): Promise<number> {
  const { rows } = await backend.database.query<{ n: number }>(
    "select count(*)::int as n from check_result where outcome = 3 and error_message like '%could not begin%'",
  )
  return rows[0]?.n ?? 0
}

async function hanging(world: CheckWorld, percent: number): Promise<void> {
  const wish: MonitorWish = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, hangingPercent: percent }
  await world.backend.database.query('truncate check_result')
  const firstDueMs = await makeInTime(world, wish)
  await sleep(firstDueMs - Date.now() + 10_000)
  await world.arrivals()
  const fromMs = Date.now()
  await sleep(Number(values.seconds) * 1_000)
  const toMs = Date.now()
  await sleep(500)
  const { p50, p99, max, missing, doubled, checks }: Lateness = latenessOf(await world.arrivals(), wish, firstDueMs, fromMs, toMs)
  await holdAll(world)
  const { inconclusive = 0, ...seen } = await outcomes(world.backend.database)
  const skipped = await notBegun(world)
  const passes = p99 <= 100 && missing === 0 && skipped === 0
  tell({
    case: 'C1',
    hangingPercent: percent,
    passes,
    checks,
    p50: round2(p50),
    p99: round2(p99),
    max: round2(max),
    skipped,
    // Made, and not told from our own delay: a machine that is busy with other things has some.
    heldUp: inconclusive - skipped,
    missing,
    doubled,
    seen,
  })
  await sleep(12_000)
}

/** The place of a monitor in its interval says which check a stored one is; repeats are beside the grid, and nobody fails here. */
async function storedTwice({ backend }: CheckWorld, wish: MonitorWish): Promise<number> {
  const { rows } = await backend.database.query<{ n: number }>(
    `select coalesce(sum(times - 1), 0)::int as n from (
      select count(*) as times from check_result join check_schedule using (organization, monitor, region)
      where outcome <> 3
      group by monitor, round((check_result.at - anchor)::numeric / $1)
    ) as place`,
    [wish.intervalSeconds * 1_000],
  )
  return rows[0]?.n ?? 0
}

async function stopped(world: CheckWorld): Promise<void> {
  const wish: MonitorWish = { count: 200, intervalSeconds: 10, timeoutSeconds: 5 }
  await world.backend.database.query('truncate check_result')
  await makeInTime(world, wish)
  const workers: Child[] = [await world.startWorker(), await world.startWorker()]
  await sleep(20_000)
  const takeovers: number[] = []
  const runs = Number(values.runs)
  for (let run = 0; run < runs; run += 1) {
    const victim = workers.shift() as Child
    await world.arrivals()
    const stoppedAtMs = Date.now()
    const isKilled = run % 3 === 2
    victim.process.kill(isKilled ? 'SIGKILL' : 'SIGSTOP')
    await sleep(Number(values['stopped-seconds']) * 1_000)
    const first = new Map<number, number>()
    for (const [n, atMs] of await world.arrivals()) if (atMs > stoppedAtMs && !first.has(n)) first.set(n, atMs)
    takeovers.push(first.size === wish.count ? Math.max(...first.values()) - stoppedAtMs : Number.POSITIVE_INFINITY)
    if (isKilled) workers.push(await world.startWorker())
    else {
      victim.process.kill('SIGCONT')
      workers.push(victim)
    }
    await sleep(6_000)
  }
  for (const worker of workers) await worker.stop()
  const twice = await storedTwice(world, wish)
  const { down = 0, inconclusive = 0, up = 0 } = await outcomes(world.backend.database)
  const worst = Math.max(...takeovers) / 1_000
  const passes = twice === 0 && down === 0 && worst <= wish.intervalSeconds + 5
  tell({
    case: 'F9',
    passes,
    runs,
    storedTwice: twice,
    down,
    inconclusive,
    up,
    takeoverSeconds: { median: round2(median(takeovers) / 1_000), worst: round2(worst), bound: wish.intervalSeconds + 5 },
  })
}

async function away(world: CheckWorld): Promise<void> {
  const wish: MonitorWish = { count: 1_000, intervalSeconds: 10, timeoutSeconds: 5 }
  const { database, postgresPid } = world.backend
  await database.query('truncate check_result, monitor_transition')
  await makeInTime(world, wish)
  await database.query('update monitor set confirmations = 1')
  const worker = await world.startWorker()
  await sleep(20_000)
  await world.arrivals()
  const before = (await outcomes(database))['up'] ?? 0
  const beforeArrivals = Date.now()
  // Nobody answers, as when the network to it is gone: every process of it stands still.
  signalPostgres(postgresPid, 'SIGSTOP')
  await sleep(Number(values['stopped-seconds']) * 1_000)
  signalPostgres(postgresPid, 'SIGCONT')
  const backAtMs = Date.now()
  await sleep(25_000)
  await worker.stop()
  const made = (await world.arrivals()).filter(([, atMs]) => atMs > beforeArrivals)
  const { rows } = await database.query<{ n: number }>('select count(*)::int as n from monitor_transition')
  const seen = await outcomes(database)
  const stored = (seen['up'] ?? 0) - before
  // Nothing that was checked is no proof.
  const isProof = before > 0 && made.length > wish.count
  const passes = isProof && (seen['down'] ?? 0) === 0 && (rows[0]?.n ?? 0) === 0 && stored >= made.length - 50
  const resumed = made.filter(([, atMs]) => atMs > backAtMs)
  tell({
    case: 'C3',
    passes,
    secondsAway: Number(values['stopped-seconds']),
    falseDown: seen['down'] ?? 0,
    transitions: rows[0]?.n,
    made: made.length,
    stored,
    backOnScheduleSeconds: round2((Math.min(...resumed.map(([, atMs]) => atMs)) - backAtMs) / 1_000),
    seen,
  })
}

function signalPostgres(root: number, signal: NodeJS.Signals): void {
  for (const pid of treeOf(root)) process.kill(pid, signal)
}

if (wanted('C2')) tell(await checkBrokenTargets())
if (wanted('F11')) tell(await checkFailingNames(Number(values.seconds)))
if (!['C1', 'C3', 'F9'].some(wanted)) process.exit()
const world = await startCheckWorld()
try {
  if (wanted('C1')) {
    const worker = await world.startWorker()
    for (const percent of [10, 30, 50]) await hanging(world, percent)
    await worker.stop()
  }
  if (wanted('C3')) await away(world)
  if (wanted('F9')) await stopped(world)
} finally {
  await world.stop()
}
