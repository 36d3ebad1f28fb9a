import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTool, freePort } from './test-tools.ts'

const ROOT = join(import.meta.dirname, '..')
const PASSWORD = 'of the cluster of these tests'
const LEFT_OUT = [
  '**/e2e/**',
  'backend/src/platform/db/postgres/**',
  'backend/src/operating/cli/test/database.test.ts',
  'dashboard/**',
]

export const program = (name: string): string => {
  const found = findTool(name)
  if (found === undefined) throw new Error(`${name} is missing: apt-get install postgresql-15`)
  return found
}

export interface DebianPostgres {
  /** URL of its maintenance database. */
  url: string
  port: number
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

/** A cluster of Debian's PostgreSQL for tests; its data does not survive a crash. */
export async function startDebianPostgres(more: Readonly<Record<string, string | number>> = {}): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'vdt-pg15-'))
  chmodSync(folder, 0o755)
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  // Postgres refuses root.
  const ids = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  const [data, sockets, passwordFile] = [join(folder, 'data'), join(folder, 'sockets'), join(folder, 'password')]
  // Citus nodes connect to each other with it.
  const passFile = join(folder, 'pgpass')
  writeFileSync(passwordFile, PASSWORD)
  writeFileSync(passFile, `*:*:*:*:${PASSWORD}\n`, { mode: 0o600 })
  for (const each of [data, sockets]) mkdirSync(each, { mode: 0o700 })
  if (ids.uid !== undefined) for (const each of [data, sockets, passwordFile, passFile]) chownSync(each, ids.uid, ids.gid)
  const identity = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-locale']
  execFileSync(program('initdb'), ['-D', data, '--no-sync', ...identity], { cwd: '/', stdio: 'pipe', ...ids })
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: sockets,
    fsync: 'off',
    max_connections: 300,
    ...more,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const postgres = spawn(program('postgres'), ['-D', data, ...flags], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // libpq looks for certificates there; it may not read the home of root.
    env: { ...process.env, HOME: folder, PGPASSFILE: passFile },
    ...ids,
  })
  const ended = new Promise<void>((done) => postgres.once('close', () => done()))
  const stop = async () => {
    postgres.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((ready, failed) => {
      let said = ''
      postgres.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('ready to accept connections')) ready()
      })
      postgres.once('close', () => failed(new Error(said)))
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`, port, stop }
}

/**
 * Runs the backend's tests on the given servers; returns the exit code. Tests of the embedded cluster, and those that start whole
 * programs on one, are left out.
 */
export function runBackendTests(
  environment: Readonly<Record<string, string>>,
  filters: readonly string[],
  excluded: readonly string[] = [],
): Promise<number> {
  // Filters are alternatives: with `backend/` next to them each would find everything.
  const wanted = filters.length === 0 ? ['backend/'] : filters
  const args = ['run', '--root', ROOT, ...wanted, ...[...LEFT_OUT, ...excluded].flatMap((path) => ['--exclude', path])]
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  return new Promise<number>((done) => vitest.once('close', (code) => done(code ?? 1)))
}
