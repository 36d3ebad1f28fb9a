/**
 * How long people wait: one JSON line.
 *
 *   npm run bench:start -- [--rounds 3] [--cold]
 *
 * `firstReadySeconds` and `secondReadySeconds`: from `npm start` to `ready` with everything installed, on a new data folder and
 * on the same one again (goal ≤ 3 s). `firstSampleSeconds`: from the first `ready` until this host is listed online with a
 * snapshot (goal ≤ 15 s). Medians over the rounds.
 *
 * `--cold` also clones the repository and starts the clone with an empty HOME and empty caches: `coldReadySeconds` from
 * `npm start` to `ready`, download included (goal ≤ 90 s). What is committed counts, not what lies in the work tree. Settings of
 * npm that name a registry or a proxy in the environment or in ~/.npmrc are handed on: without them some machines reach none.
 *
 * `helloSeconds` is the start of a plain Fastify in the same run, so that a busy machine shows.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ServerItem, Session } from '../shared/src/index.ts'
import { benchEnvironment, newDataDir, originOf, OWNER } from './backend.ts'
import { type Child, ROOT, startChild } from './child.ts'
import { median, round2 } from './processes.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, cold: { type: 'boolean', default: false } } })

const npmStart = (environment: NodeJS.ProcessEnv, cwd = ROOT): Promise<Child> =>
  startChild({ command: 'npm', args: ['start'], environment, cwd })

/** Seconds until the API lists a host that is online and has a sample. */
async function secondsToFirstSample(origin: string): Promise<number> {
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json' }
  const login = await fetch(`${origin}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(OWNER) })
  if (!login.ok) throw new Error(`the login answered ${login.status}: ${await login.text()}`)
  const { token } = (await login.json()) as Session
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

async function measureInstalled() {
  const dataDir = newDataDir()
  const environment = benchEnvironment(dataDir)
  try {
    const hello = await startChild({ args: ['bench/hello.ts'] })
    await hello.stop()
    const first = await npmStart(environment)
    const sample = await sampleThenStop(first)
    const second = await npmStart(environment)
    await second.stop()
    return { hello: hello.readySeconds, first: first.readySeconds, sample, second: second.readySeconds }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A clone with nothing of the machine's: no caches, no store, no settings but those by which the registry is found. */
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
    const kept = Object.entries(benchEnvironment(dataDir)).filter(
      ([name]) => !/^(XDG_|PNPM_HOME|npm_(?!config_.*(registry|proxy|ca)))/i.test(name),
    )
    const path = (process.env['PATH'] ?? '').split(':').filter((part) => !part.startsWith(inside))
    const child = await npmStart({ ...Object.fromEntries(kept), HOME: home, PATH: path.join(':') }, clone)
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
console.log(
  JSON.stringify({
    firstReadySeconds: over(({ first }) => first),
    secondReadySeconds: over(({ second }) => second),
    firstSampleSeconds: over(({ sample }) => sample),
    helloSeconds: over(({ hello }) => hello),
    ...(values.cold ? { coldReadySeconds: round2(await measureCold()) } : {}),
  }),
)
