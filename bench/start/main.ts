/**
 * How long people wait at a start.
 *
 *   npm run bench -- start [--rounds 3] [--cold]
 *
 * From `npm start` to `ready` with everything installed, on a new data folder and on the same one again, and from the first `ready`
 * until the API lists this host online with a snapshot. Then the same with 2,000 monitors, all due, and 1,000 servers in the tables.
 * Medians over the rounds.
 *
 * `--cold` also clones the repository and starts the clone with an empty HOME and empty caches, download included. It measures what is
 * committed, not the work tree. npm settings that name a registry or a proxy are passed on.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import type { ServerItem } from '../../shared/src/index.ts'
import { makeMonitors } from '../checks/world.ts'
import { seedHosts } from '../fleet/hosts.ts'
import { benchEnvironment, newDataDir, originOf, signIn } from '../lib/backend.ts'
import { type Child, ROOT, startChild } from '../lib/child.ts'
import { median, round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, cold: { type: 'boolean', default: false } } })

const npmStart = (environment: NodeJS.ProcessEnv, cwd = ROOT): Promise<Child> =>
  startChild({ command: 'npm', args: ['start'], environment, cwd })

/** Seconds until the API lists a host that is online and has a sample. */
async function secondsToFirstSample(origin: string): Promise<number> {
  const startedAt = performance.now()
  const token = await signIn(origin)
  while (performance.now() - startedAt < 60_000) {
    const answer = await fetch(`${origin}/v1/servers?include=metrics`, { headers: { authorization: `Bearer ${token}` } })
    const { servers } = (await answer.json()) as { servers: ServerItem[] }
    if (servers.some((item) => item.status === 'online' && item.metrics)) return (performance.now() - startedAt) / 1_000
    await sleep(50)
  }
  throw new Error('no sample was listed within a minute')
}

async function sampleThenStop(child: Child): Promise<number> {
  try {
    return await secondsToFirstSample(originOf(child))
  } finally {
    await child.stop()
  }
}

const [MONITORS, SERVERS] = [2_000, 1_000]
/** Nothing listens there: checks fail at once. */
const CLOSED_PORTS = { http: 9, https: 9, grpc: 9, redis: 9, dns: 9 }

async function fill(dataDir: string): Promise<void> {
  const database = new pg.Client({ connectionString: await findRunningUrl(dataDir) })
  await database.connect()
  await seedHosts(database, SERVERS)
  const monitors = { count: MONITORS, intervalSeconds: 60, timeoutSeconds: 10 }
  await makeMonitors({ backend: { database }, ports: CLOSED_PORTS }, monitors, Date.now())
  await database.end()
}

async function measureInstalled() {
  const dataDir = newDataDir()
  const environment = benchEnvironment(dataDir)
  try {
    const first = await npmStart(environment)
    const sample = await sampleThenStop(first)
    const second = await npmStart(environment)
    await fill(dataDir)
    await second.stop()
    const filled = await npmStart(environment)
    await filled.stop()
    return { first: first.readySeconds, sample, second: second.readySeconds, filled: filled.readySeconds }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Starts a clone without the caches, the store and the settings of this machine, except those that name the registry. */
async function measureCold(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-cold-'))
  const dataDir = newDataDir()
  const home = join(folder, 'home')
  const clone = join(folder, 'clone')
  try {
    mkdirSync(home)
    if (existsSync(join(homedir(), '.npmrc'))) copyFileSync(join(homedir(), '.npmrc'), join(home, '.npmrc'))
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone])
    const inside = join(ROOT, 'node_modules')
    const variables = Object.entries(benchEnvironment(dataDir)).filter(
      ([name]) => !/^(XDG_|PNPM_HOME|npm_(?!config_.*(registry|proxy|ca)))/i.test(name),
    )
    const path = (process.env['PATH'] ?? '').split(':').filter((part) => !part.startsWith(inside))
    const child = await npmStart({ ...Object.fromEntries(variables), HOME: home, PATH: path.join(':') }, clone)
    await child.stop()
    return child.readySeconds
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}

const rounds: Awaited<ReturnType<typeof measureInstalled>>[] = []
for (let index = 0; index < Number(values.rounds); index += 1) rounds.push(await measureInstalled())
const over = (pick: (round: (typeof rounds)[number]) => number) => round2(median(rounds.map(pick)))
printFigures([
  { name: 'npm start to ready, new data folder', value: over(({ first }) => first), unit: 's', goal: { atMost: 3 } },
  { name: 'npm start to ready, existing data folder', value: over(({ second }) => second), unit: 's', goal: { atMost: 3 } },
  {
    name: `npm start to ready with ${MONITORS} monitors and ${SERVERS} servers`,
    value: over(({ filled }) => filled),
    unit: 's',
    goal: { atMost: 2 },
  },
  { name: 'ready to the first sample of this host', value: over(({ sample }) => sample), unit: 's', goal: { atMost: 15 } },
  values.cold
    ? {
        name: 'npm start to ready in a fresh clone with empty caches',
        value: await measureCold(),
        unit: 's',
        goal: { atMost: 90 },
      }
    : undefined,
])
