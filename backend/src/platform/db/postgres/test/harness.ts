import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log } from '../../../logging/log.ts'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../index.ts'
import { processToken } from '../process-identity.ts'

export interface LogLine {
  level: keyof Log
  facts: object
  message: string
}

/** What a child process of `supervised.ts` said first. */
export type Said = { pid: number; url: string } | { error: string }

/** Folders, clusters and children of one test file; `cleanUp` leaves nothing behind, whatever failed. */
export function makeBench() {
  const folders: string[] = []
  const running: EmbeddedPostgres[] = []
  const children: ChildProcess[] = []
  const postmasters: number[] = []

  /** A folder that every user may pass. */
  async function makeFolder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'vdt-pg-')))
    await chmod(folder, 0o755)
    folders.push(folder)
    return folder
  }

  async function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ dataDir, log: recordLog().log, fsync: false, ...options })
    running.push(postgres)
    return postgres
  }

  /** Starts `supervised.ts` and waits for what it says; with ids as another user. */
  async function startChild(dataDir: string, ids?: { uid: number; gid: number }): Promise<{ child: ChildProcess; said: Said }> {
    const script = join(import.meta.dirname, 'supervised.ts')
    const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'], env: {}, cwd: '/', ...ids })
    children.push(child)
    const said = await firstLine(child)
    if ('pid' in said) postmasters.push(said.pid)
    return { child, said }
  }

  async function stopAll(): Promise<void> {
    await Promise.all(running.map((postgres) => postgres.stop()))
    for (const child of children) child.kill('SIGKILL')
    for (const pid of postmasters) if (await processToken(pid)) process.kill(pid, 'SIGQUIT')
    for (const pid of postmasters) await waitUntil(async () => (await processToken(pid)) === undefined)
  }

  async function cleanUp(): Promise<void> {
    await stopAll()
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })))
  }

  return { makeFolder, start, startChild, stopAll, cleanUp }
}

export function recordLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (facts: object, message: string) => void lines.push({ level, facts, message })
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines }
}

/** One connection, one statement. */
export async function query(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(sql, values)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

export async function waitUntil(isSo: () => Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`did not come true within ${withinMs} ms`)
    await delay(20)
  }
}

async function firstLine(child: ChildProcess): Promise<Said> {
  if (!child.stdout) throw new Error('the child has no output')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as Said
  throw new Error('the child said nothing')
}
