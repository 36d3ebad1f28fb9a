import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { ensureBuilt } from '../../scripts/launch/build.mjs'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import type { RegisterAnswer, Session } from '../../shared/src/index.ts'
import { type Child, ROOT, startChild } from './child.ts'

export const OWNER = { email: 'bench@example.com', password: 'a passphrase for the bench' }

export interface BenchBackend {
  url: string
  backendPid: number
  /** First process of the embedded Postgres; all others are its children. */
  postgresPid: number
  dataDir: string
  /** A connection as the application's role. */
  database: pg.Client
  stop(): Promise<void>
}

/** Settings of a backend of its own: a free port, a new data folder, an owner, no limits, and none of the caller's settings. */
export function benchEnvironment(dataDir: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VEDETTE_|DATABASE_)/.test(name))
  return {
    ...Object.fromEntries(inherited),
    VEDETTE_DATA_DIR: dataDir,
    VEDETTE_PORT: '0',
    VEDETTE_CONTROL_TARGETS: 'none',
    VEDETTE_ADMIN_EMAIL: OWNER.email,
    VEDETTE_ADMIN_PASSWORD: OWNER.password,
    VEDETTE_RATE_LIMITS: 'off',
    VEDETTE_BOOTSTRAP_API_KEY_FILE: join(dataDir, 'bench.key'),
    VEDETTE_LOG_LEVEL: 'warn',
  }
}

/** A name for a folder that the backend makes itself, with the rights that its Postgres needs. */
export const newDataDir = (): string => join(tmpdir(), `vedette-bench-${randomUUID()}`)

/** Starts a backend as the launcher does, on an embedded Postgres in a new folder, which is removed with `stop`. */
export async function startBackend(
  command: 'start' | 'serve',
  nodeFlags: readonly string[] = [],
  own: NodeJS.ProcessEnv = {},
): Promise<BenchBackend> {
  const dataDir = newDataDir()
  const { argv, builds = [] } = PROGRAMS.vedette([command])
  await ensureBuilt(ROOT, process.execPath, builds, console.error)
  const child = await startChild({
    // Of a flag that comes twice V8 takes the last.
    args: argv.toSpliced(
      argv.findIndex((word) => !word.startsWith('-')),
      0,
      ...nodeFlags,
    ),
    environment: { ...benchEnvironment(dataDir), ...own },
  })
  const database = new pg.Client({ connectionString: await findRunningUrl(dataDir) })
  await database.connect()
  return {
    url: originOf(child),
    backendPid: child.pid,
    postgresPid: await readPostgresPid(dataDir),
    dataDir,
    database,
    stop: async () => {
      await database.end()
      await child.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Compacts what is due, as `vedette compact` does, and waits for its end. */
export async function compact({ dataDir }: BenchBackend, nodeFlags: readonly string[] = []): Promise<void> {
  const { argv } = PROGRAMS.vedette(['compact', '--json'])
  const child = spawn(process.execPath, [...nodeFlags, ...argv], {
    cwd: ROOT,
    env: benchEnvironment(dataDir),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`vedette compact ended with ${code}`)
}

/** Where the backend listens, from the line that it prints when it is ready. */
export const originOf = ({ ready }: Child): string => new URL(ready).origin

export async function readPostgresPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

const REGISTER_AT_ONCE = 50
/** What the backend allows an hour. */
const REGISTRATIONS_OF_A_KEY = 1_000

/** Registers so many hosts; their tokens. */
export async function registerServers({ url, dataDir }: BenchBackend, count: number): Promise<string[]> {
  await readWhenThere(join(dataDir, 'bench.key'))
  const session = { authorization: `Bearer ${await signIn(url)}` }
  const tokens: string[] = []
  let key = ''
  while (tokens.length < count) {
    if (tokens.length % REGISTRATIONS_OF_A_KEY === 0)
      ({ key } = (await post(`${url}/v1/api-keys`, session, { name: 'bench', scopes: ['agent'] })) as { key: string })
    const some = Array.from({ length: Math.min(REGISTER_AT_ONCE, count - tokens.length) }, (_, index) => tokens.length + index)
    tokens.push(...(await Promise.all(some.map(async (index) => (await register(url, key, `bench-${index}`)).token))))
  }
  return tokens
}

/** Registers a host of its own with a key for agents. */
export async function register(url: string, key: string, hostname: string): Promise<RegisterAnswer> {
  const facts = {
    hostname,
    os: 'Debian GNU/Linux 12',
    kernel: '6.1.0',
    arch: 'x64',
    agent_version: '1.0.0',
    machine_id: randomUUID(),
  }
  return (await post(`${url}/v1/agent/register`, { 'x-api-key': key }, facts)) as RegisterAnswer
}

/** The token of a new session of the owner. */
export const signIn = async (url: string): Promise<string> => ((await post(`${url}/v1/auth/login`, {}, OWNER)) as Session).token

/** The answer; throws when it is no success. */
export async function post(url: string, headers: Readonly<Record<string, string>>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

export async function readWhenThere(file: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text) return text.trim()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${file} was not written`)
}
