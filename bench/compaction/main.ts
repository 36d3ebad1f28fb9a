/**
 * How many pushes a second are compacted, by one process and by two, and what a push costs.
 *
 *   npm run bench -- compaction [--servers 400] [--fields 36] [--rounds 1] [--warm-up 1] [--all-cores] [--profile FOLDER]
 *
 * `vedette serve` makes an embedded Postgres of its own and is then halted. Servers of one organization have pushed each minute of a
 * past UTC day, six samples a push. Processes (`compacting.ts`) compact it hour after hour, and then the day, as backends that run for
 * weeks do; in between what they stored is removed. First one process, then two, which share the servers, then one again.
 *
 * By default a process comes with a core: one process and Postgres run on one core (taskset), two and Postgres on two. With
 * --all-cores one process and Postgres may use all cores as well; the figures of cores say what then bounds two processes.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { keepPartitions } from '../../backend/src/hosts/metrics/index.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { ALL_FIELDS, DAY_MS, HOUR_MS } from '../../shared/src/index.ts'
import { seedHosts, seedHours } from '../fleet/hosts.ts'
import { startBackend } from '../lib/backend.ts'
import { type Child, startChild } from '../lib/child.ts'
import { round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { costOf, limitToCores, measureRound, medianRound, type Round } from '../lib/rounds.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '400' },
    fields: { type: 'string', default: String(ALL_FIELDS.length) },
    rounds: { type: 'string', default: '1' },
    'warm-up': { type: 'string', default: '1' },
    'all-cores': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const [servers, rounds, warmUp] = [Number(values.servers), Number(values.rounds), Number(values['warm-up'])]
const DAY_HOURS = 24
const PUSHES = servers * DAY_HOURS * 60
const day = Math.floor(Date.now() / DAY_MS) - 2

const backend = await startBackend('serve')
const { database } = backend
// It would compact as well.
process.kill(backend.backendPid, 'SIGSTOP')
const url = await findRunningUrl(backend.dataDir)
if (url === undefined) throw new Error('the database does not run')
const pool = createPool({ url, clock: systemClock, log: silentLog, max: 1 })

async function removeCompacted(): Promise<void> {
  await database.query('truncate metric_hour, metric_samples, metric_day')
  for (const [name, done] of [
    ['hour', day * DAY_HOURS - 1],
    ['day', day - 1],
  ])
    await database.query('update metric_progress set done = $2 where name = $1', [name, done])
  await keepPartitions(pool.db, silentLog, Date.now())
  await database.query('checkpoint')
}

const all: Child[] = []
async function startCompacting(): Promise<Child> {
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const child = await startChild({
    args: ['--max-semi-space-size=64', ...profile, 'bench/compaction/compacting.ts', String(url)],
  })
  all.push(child)
  return child
}

async function compactOnce(children: readonly Child[]): Promise<Round> {
  await removeCompacted()
  return measureRound(children, backend.postgresPid, async () => {
    for (let hour = day * DAY_HOURS; hour < (day + 1) * DAY_HOURS; hour += 1)
      await Promise.all(
        children.map(async ({ process: child }) => {
          child.send((hour + 1.5) * HOUR_MS)
          await once(child, 'message')
        }),
      )
    return PUSHES
  })
}

function compactRounds(children: readonly Child[], uncounted = 0): Promise<Round> {
  if (!values['all-cores']) limitToCores(children, backend.postgresPid)
  return medianRound(rounds, uncounted, () => compactOnce(children))
}

try {
  await seedHosts(database, servers)
  await seedHours(database, servers, day * DAY_MS, DAY_HOURS, Number(values.fields))
  const first = await startCompacting()
  const one = await compactRounds([first], warmUp)
  const two = await compactRounds([first, await startCompacting()], warmUp)
  const again = await compactRounds([first])
  const alone = (one.perSecond + again.perSecond) / 2
  const { rows } = await database.query<{ days: number; bytes: number }>(
    `select count(*)::int as days, sum(length(data))::float8 as bytes from metric_samples`,
  )
  if (rows[0]?.days !== servers) throw new Error(`${rows[0]?.days} of ${servers} days were compacted`)
  printFigures(
    [
      { name: 'pushes compacted a second, one process', value: alone, unit: '' },
      {
        name: 'the same, two processes',
        value: two.perSecond,
        unit: '',
        peer: { name: 'one process', value: alone, goal: { atLeast: 1.7 } },
      },
      { name: 'CPU of the compaction of a push, process and Postgres', value: costOf(again), unit: 'µs' },
      { name: 'of it Postgres', value: again.postgresUs, unit: 'µs' },
      { name: 'CPU of the compaction of a push by two processes', value: costOf(two), unit: 'µs' },
      { name: 'CPU of one process with Postgres', value: (alone * costOf(again)) / 1e6, unit: 'cores' },
      { name: 'CPU of two processes with Postgres', value: (two.perSecond * costOf(two)) / 1e6, unit: 'cores' },
    ],
    { servers, fields: values.fields, one: round2(one.perSecond), again: round2(again.perSecond), samplesBytes: rows[0].bytes },
  )
} finally {
  for (const child of all) await child.stop()
  await pool.end()
  process.kill(backend.backendPid, 'SIGCONT')
  await backend.stop()
}
