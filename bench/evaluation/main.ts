/**
 * How many servers a second the alert rules are evaluated for, by one process and by two, and what an evaluation costs.
 *
 *   npm run bench -- evaluation [--servers 20000] [--rules 5] [--rounds 6] [--warm-up 3] [--all-cores]
 *     [--profile FOLDER]
 *
 * `vedette serve` makes an embedded Postgres of its own and is then halted. Servers of one organization have pushed each of the last
 * minutes. In each round all of them push (by one statement, which is not counted), and evaluating processes (`evaluating.ts`), which
 * share the servers as backends do, evaluate the new pushes by --rules rules: one process in the first rounds, two in the next, then
 * one again. Nothing opens: an incident has its own cost.
 *
 * By default a process comes with a core: one process and Postgres run on one core (taskset), two and Postgres on two. With
 * --all-cores one process and Postgres may use all cores as well; the figures of cores say what then bounds two processes.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { encodeBlock } from '../../shared/src/hosts/metrics/block/index.ts'
import { seedHosts } from '../fleet/hosts.ts'
import { startBackend } from '../lib/backend.ts'
import { type Child, startChild } from '../lib/child.ts'
import { round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { costOf, limitToCores, measureRound, medianRound, type Round } from '../lib/rounds.ts'
import { lifeColumns } from '../samples/host-samples.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '20000' },
    rules: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '6' },
    'warm-up': { type: 'string', default: '3' },
    'all-cores': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const [servers, rounds, warmUp] = [Number(values.servers), Number(values.rounds), Number(values['warm-up'])]
const [MINUTE_MS, SAMPLES] = [60_000, 6]

/** Metric and threshold, which no sample passes; every second rule is on a mean over five minutes. */
const RULES = [
  ['cpu.percent', 100],
  ['memory.percent', 100],
  ['filesystem.percent', 100],
  ['status', 'offline'],
  ['cpu.load1', 100_000],
] as const

const backend = await startBackend('serve')
const { database } = backend
// It would evaluate as well.
process.kill(backend.backendPid, 'SIGSTOP')

async function seedRules(): Promise<void> {
  for (let index = 0; index < Number(values.rules); index += 1) {
    const [metric, value] = RULES[index % RULES.length] as (typeof RULES)[number]
    await database.query(
      `insert into alert_rule (organization, id, name, enabled, target_type, metric, operator, value, for_seconds, severity,
        channel_ids, created_at, updated_at, defined_at)
      select number, $1, 'rule', true, 'server', $2, $3, $4, $5, 'warning', '{}', to_timestamp($6), to_timestamp($6), to_timestamp($6)
      from organization`,
      [
        randomUUID(),
        metric,
        metric === 'status' ? 'equals' : 'greater_than',
        JSON.stringify(value),
        metric === 'status' || index % 2 === 0 ? 0 : 300,
        Date.now() / 1_000 - 86_400,
      ],
    )
  }
}

const block = Buffer.from(encodeBlock(lifeColumns(1, 0, SAMPLES)))

/** All servers push at this instant. */
async function pushAll(atMs: number): Promise<void> {
  await database.query(
    `insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
    select $1::bigint - 55000, (random() * 2^62)::int8, $1::bigint - 5000, $1::bigint - 2000 + number % 1000, organization, number,
      $2::date, $3, $4
    from server`,
    [atMs, new Date(atMs).toISOString().slice(0, 10), SAMPLES, block],
  )
}

const all: Child[] = []
async function startEvaluating(url: string): Promise<Child> {
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const child = await startChild({ args: [...profile, 'bench/evaluation/evaluating.ts', url] })
  all.push(child)
  return child
}

// All rounds are in the past: nothing is ahead of a clock. They end a few minutes ago, and all begin today.
let atMs = Date.now() - (3 * (rounds + warmUp) + 5) * MINUTE_MS

async function evaluateOnce(children: readonly Child[]): Promise<Round> {
  atMs += MINUTE_MS
  await pushAll(atMs)
  return measureRound(children, backend.postgresPid, async () => {
    const evaluated = await Promise.all(
      children.map(async ({ process: child }) => {
        child.send(atMs + 4_000)
        return ((await once(child, 'message')) as [number])[0]
      }),
    )
    const count = evaluated.reduce((sum, each) => sum + each, 0)
    if (count !== servers) throw new Error(`${count} of ${servers} servers were evaluated`)
    return count
  })
}

function evaluateRounds(children: readonly Child[]): Promise<Round> {
  if (!values['all-cores']) limitToCores(children, backend.postgresPid)
  return medianRound(rounds, warmUp, () => evaluateOnce(children))
}

try {
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  await seedHosts(database, servers)
  await seedRules()
  await database.query(`update instance set alive_at = now() + interval '1 hour', started_at = now() - interval '1 day'`)
  await database.query('delete from work_share')
  for (let index = 0; index < 2; index += 1) await pushAll((atMs += MINUTE_MS) - 2 * MINUTE_MS)
  await database.query('vacuum analyze metric_push, server, server_newest')
  const first = await startEvaluating(url)
  const one = await evaluateRounds([first])
  const second = await startEvaluating(url)
  // The share of each follows from a read every two seconds.
  await sleep(5_000)
  const two = await evaluateRounds([first, second])
  await second.stop()
  await sleep(5_000)
  const again = await evaluateRounds([first])
  const alone = (one.perSecond + again.perSecond) / 2
  const { rows } = await database.query<{ count: number }>('select count(*)::int as count from incident')
  printFigures(
    [
      { name: `servers evaluated a second by ${values.rules} rules, one process`, value: alone, unit: '' },
      {
        name: 'the same, two processes',
        value: two.perSecond,
        unit: '',
        peer: { name: 'one process', value: alone, goal: { atLeast: 1.7 } },
      },
      { name: 'CPU of an evaluation, process and Postgres', value: (costOf(one) + costOf(again)) / 2, unit: 'µs' },
      { name: 'of it Postgres', value: (one.postgresUs + again.postgresUs) / 2, unit: 'µs' },
      { name: 'CPU of an evaluation by two processes', value: costOf(two), unit: 'µs' },
      { name: 'CPU of one process with Postgres', value: (alone * costOf(again)) / 1e6, unit: 'cores' },
      { name: 'CPU of two processes with Postgres', value: (two.perSecond * costOf(two)) / 1e6, unit: 'cores' },
    ],
    { servers, incidents: rows[0]?.count, one: round2(one.perSecond), again: round2(again.perSecond) },
  )
} finally {
  for (const child of all) await child.stop()
  process.kill(backend.backendPid, 'SIGCONT')
  await backend.stop()
}
