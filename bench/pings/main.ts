/**
 * The CPU of a ping of a heartbeat, durable before its answer: backend and Postgres together.
 *
 *   npm run bench -- pings [--monitors 1000] [--rate 1000] [--rounds 4] [--seconds 8] [--profile FOLDER]
 *
 * `vedette start` runs as the launcher starts it, on an embedded Postgres of its own. --rate pings a second go to --monitors heartbeats,
 * in turns with a bare Node server that only inserts what waits on the same Postgres (`bare.ts`). Then one ping each half second,
 * as an installation with few jobs has it.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import { post, signIn, startBackend } from '../lib/backend.ts'
import { type Child, startChild } from '../lib/child.ts'
import { cpuOf, cpuOfTree, median, round } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import type { Order, Sent } from './load.ts'

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '4' },
    profile: { type: 'string' },
    seconds: { type: 'string', default: '8' },
  },
})
const [perSecond, seconds, rounds] = [Number(values.rate), Number(values.seconds), Number(values.rounds)]
const AT_ONCE = 500
const PROFILE = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const [SMALL_PER_SECOND, SMALL_SECONDS] = [2, 20]

async function makeHeartbeats(url: string): Promise<string[]> {
  const authorization = `Bearer ${await signIn(url)}`
  const paths: string[] = []
  for (let made = 0; made < Number(values.monitors); made += AT_ONCE) {
    const create = Array.from({ length: Math.min(AT_ONCE, Number(values.monitors) - made) }, (_, index) => ({
      name: `job ${made + index}`,
      type: 'heartbeat',
      url: `heartbeat://job-${made + index}`,
      options: { schedule: { period_seconds: 60, grace_seconds: 3_600 } },
    }))
    const answer = await post(`${url}/v1/monitors/bulk`, { authorization }, { create })
    const { results } = answer as { results: { monitor: { ping_url: string } }[] }
    paths.push(...results.map(({ monitor }) => new URL(monitor.ping_url).pathname))
  }
  return paths
}

async function send(load: Child, order: Order): Promise<Sent> {
  load.process.send(order)
  const [sent] = (await once(load.process, 'message')) as [Sent]
  if (sent.failed > 0) throw new Error(`${sent.failed} of ${sent.count} pings failed`)
  return sent
}

const backend = await startBackend('start', PROFILE, { VEDETTE_LOCAL_AGENT: 'off' })
const flags = PROGRAMS.vedette([]).argv.filter((word) => word.startsWith('--'))
const bare = await startChild({ args: [...flags, 'bench/pings/bare.ts', (await findRunningUrl(backend.dataDir)) ?? ''] })
const load = await startChild({ args: ['bench/pings/load.ts'] })
try {
  const paths = await makeHeartbeats(backend.url)
  const ours = { port: Number(new URL(backend.url).port), pid: backend.backendPid, paths }
  const theirs = { port: Number(bare.ready), pid: bare.pid, paths }
  const measure = async ({ port, pid, paths: to }: typeof ours, rate: number, forSeconds: number) => {
    const cpu = () => cpuOf(pid) + cpuOfTree(backend.postgresPid)
    const [before, ownBefore] = [cpu(), cpuOf(pid)]
    const sent = await send(load, { port, paths: to, perSecond: rate, seconds: forSeconds })
    return { us: ((cpu() - before) / sent.count) * 1e6, ownUs: ((cpuOf(pid) - ownBefore) / sent.count) * 1e6, ...sent }
  }
  const each: { ours: Awaited<ReturnType<typeof measure>>; bare: Awaited<ReturnType<typeof measure>> }[] = []
  for (let index = 0; index <= rounds; index += 1)
    each.push({ ours: await measure(ours, perSecond, seconds), bare: await measure(theirs, perSecond, seconds) })
  // The first round warms both up.
  const counted = each.slice(1)
  const us = median(counted.map((one) => one.ours.us))
  const bareUs = median(counted.map((one) => one.bare.us))
  const small = await measure(ours, SMALL_PER_SECOND, SMALL_SECONDS)
  const idle = cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
  await new Promise((resolve) => setTimeout(resolve, SMALL_SECONDS * 1_000))
  const idleUs = ((cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid) - idle) / small.count) * 1e6
  printFigures(
    [
      {
        name: `CPU of a ping, ${perSecond} a second`,
        value: us,
        unit: 'µs',
        goal: { atMost: 500 },
        peer: { name: 'a bare Node server that only inserts', value: bareUs },
      },
      { name: 'time of a ping under this load, p99', value: median(counted.map((one) => one.ours.p99Ms)), unit: 'ms' },
      { name: 'CPU of a single ping, without what the backend does anyway', value: small.us - idleUs, unit: 'µs' },
      { name: 'time of a single ping, p50', value: small.p50Ms, unit: 'ms' },
    ],
    { monitors: paths.length, rounds, us_by_round: counted.map((one) => [one.ours.us, one.ours.ownUs, one.bare.us].map(round)) },
  )
} finally {
  await load.stop()
  await bare.stop()
  await backend.stop()
}
