/**
 * The backend's tests on the PostgreSQL that Debian has (15), in a cluster of their own that is gone afterwards:
 *
 *   npm run test:pg15 [-- FILTER…]
 *
 * Left out: what is about the embedded cluster, and what starts whole programs on one.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTool } from './test-tools.ts'

const ROOT = join(import.meta.dirname, '..')
const PASSWORD = 'of the cluster of these tests'
const LEFT_OUT = ['**/e2e/**', 'backend/src/platform/db/postgres/**', 'backend/src/cli/test/beside.test.ts', 'dashboard/**']

const program = (name: string): string => {
  const found = findTool(name)
  if (found === undefined) throw new Error(`${name} is missing: apt-get install postgresql-15`)
  return found
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const folder = mkdtempSync(join(tmpdir(), 'vdt-pg15-'))
chmodSync(folder, 0o755)
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
// Postgres refuses root.
const ids = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
const [data, sockets, passwordFile] = [join(folder, 'data'), join(folder, 'sockets'), join(folder, 'password')]
writeFileSync(passwordFile, PASSWORD)
for (const each of [data, sockets]) mkdirSync(each, { mode: 0o700 })
if (ids.uid !== undefined) for (const each of [data, sockets, passwordFile]) chownSync(each, ids.uid, ids.gid)
const identity = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-locale']
execFileSync(program('initdb'), ['-D', data, '--no-sync', ...identity], { cwd: '/', stdio: 'pipe', ...ids })
const port = await freePort()
const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: sockets, fsync: 'off', max_connections: 300 }
const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const postgres = spawn(program('postgres'), ['-D', data, ...flags], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...ids })
const ended = new Promise<void>((done) => postgres.once('close', () => done()))
try {
  await new Promise<void>((ready, failed) => {
    let said = ''
    postgres.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('ready to accept connections')) ready()
    })
    postgres.once('close', () => failed(new Error(said)))
  })
  console.log(execFileSync(program('postgres'), ['--version'], { encoding: 'utf8' }).trim())
  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  const args = ['run', '--root', ROOT, '--project', 'backend', ...LEFT_OUT.flatMap((path) => ['--exclude', path])]
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: url },
  })
  process.exitCode = await new Promise<number>((done) => vitest.once('close', (code) => done(code ?? 1)))
} finally {
  postgres.kill('SIGINT')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
