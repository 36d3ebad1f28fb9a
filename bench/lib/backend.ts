import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import type { RegisterAnswer } from '../../shared/src/index.ts'
import { type Child, startChild } from './child.ts'

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
  own: Readonly<Record<string, string>> = {},
): Promise<BenchBackend> {
  const dataDir = newDataDir()
  const { argv } = PROGRAMS.vedette([command])
  const child = await startChild({
    // Of a flag that comes twice V8 takes the last.
    args: argv.toSpliced(argv.indexOf('backend/src/main.ts'), 0, ...nodeFlags),
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

/** Where the backend listens, from the line that it prints when it is ready. */
export const originOf = ({ ready }: Child): string => new URL(ready).origin

export async function readPostgresPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

const REGISTER_AT_ONCE = 50

/** Registers so many hosts; their tokens. */
export async function registerServers({ url, dataDir }: BenchBackend, count: number): Promise<string[]> {
  const key = await readWhenThere(join(dataDir, 'bench.key'))
  const tokens: string[] = []
  while (tokens.length < count) {
    const some = Array.from({ length: Math.min(REGISTER_AT_ONCE, count - tokens.length) }, (_, index) => tokens.length + index)
    tokens.push(...(await Promise.all(some.map((index) => register(url, key, index)))))
  }
  return tokens
}

async function register(url: string, key: string, index: number): Promise<string> {
  const response = await fetch(`${url}/v1/agent/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      hostname: `bench-${index}`,
      os: 'Debian GNU/Linux 12',
      kernel: '6.1.0',
      arch: 'x64',
      agent_version: '1.0.0',
      machine_id: randomUUID(),
    }),
  })
  if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as RegisterAnswer).token
}

export async function readWhenThere(file: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text) return text.trim()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${file} was not written`)
}
