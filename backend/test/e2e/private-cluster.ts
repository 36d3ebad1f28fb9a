import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool, freePort } from '../../../scripts/test-tools.ts'
import { processesOf, until, type Workbench } from './workbench.ts'

const PASSWORD = 'of the private cluster'

/** Debian's own PostgreSQL with a cluster of its own: another version than the embedded one, over TCP and with a password. */
export interface PrivateCluster {
  /** Of the superuser, on the maintenance database. */
  url: string
  /** A new database, as its URL. */
  database(name: string): string
  /** Of all its processes. */
  pids(): number[]
  /** Stops it at once; its port refuses connections then. */
  stop(): Promise<void>
  /** Again, where it stood before. */
  start(): Promise<void>
  /** A cluster that follows this one, with all of its databases. */
  replica(): Promise<Replica>
}

export interface Replica {
  pid: number
  /** Of the same database on the replica. */
  urlOf(database: string): string
  /** What it logs, every statement included. */
  output(): string
  kill(): Promise<void>
  /** Again, where it stood before. */
  start(): Promise<void>
}

/** Starts it in a folder; it ends with the workbench's other processes. Root starts it as `postgres`, which refuses root. */
export async function startPrivateCluster(bench: Workbench): Promise<PrivateCluster> {
  const folder = bench.makeFolder()
  const [data, sockets, passwordFile] = [join(folder, 'cluster'), join(folder, 'sockets'), join(folder, 'password')]
  const ids = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  writeFileSync(passwordFile, PASSWORD)
  for (const each of [data, sockets]) mkdirSync(each, { mode: 0o700 })
  for (const each of [data, sockets, passwordFile]) if (ids) chownSync(each, ids.uid, ids.gid)
  const program = (name: string) => findTool(name) ?? name
  const identity = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-locale']
  execFileSync(program('initdb'), ['-D', data, '--no-sync', ...identity], { cwd: '/', stdio: 'pipe', ...ids })
  const port = await freePort()
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: sockets, fsync: 'off' }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = async () => {
    const running = bench.run([program('postgres'), '-D', data, ...flags], {}, ids)
    await until(() => running.output().includes('ready to accept connections'), 60_000)
    return running
  }
  let postgres = await launch()
  const urlOf = (name: string) => `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`
  const database = (name: string) => {
    execFileSync(program('createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name], {
      env: { PGPASSWORD: PASSWORD },
      stdio: 'pipe',
    })
    return urlOf(name)
  }
  const replica = async (): Promise<Replica> => {
    const folder = bench.makeFolder()
    const [copy, socketsOfCopy] = [join(folder, 'cluster'), join(folder, 'sockets')]
    for (const each of [copy, socketsOfCopy]) mkdirSync(each, { mode: 0o700 })
    for (const each of [folder, copy, socketsOfCopy]) if (ids) chownSync(each, ids.uid, ids.gid)
    // Writes standby.signal and where the primary is.
    execFileSync(program('pg_basebackup'), ['-D', copy, '-R', '-X', 'stream', '-c', 'fast', '-d', urlOf('postgres')], {
      cwd: '/',
      stdio: 'pipe',
      ...ids,
    })
    const ownPort = await freePort()
    const own = { ...settings, port: ownPort, unix_socket_directories: socketsOfCopy, log_statement: 'all' }
    const ownFlags = Object.entries(own).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const start = async () => {
      const running = bench.run([program('postgres'), '-D', copy, ...ownFlags], {}, ids)
      await until(() => running.output().includes('ready to accept read-only connections'), 60_000)
      return running
    }
    let running = await start()
    const before: string[] = []
    return {
      get pid() {
        return running.pid
      },
      urlOf: (name) => urlOf(name).replace(`:${port}/`, `:${ownPort}/`),
      output: () => [...before, running.output()].join(''),
      kill: async () => {
        process.kill(running.pid, 'SIGKILL')
        await running.ended
      },
      start: async () => {
        before.push(running.output())
        running = await start()
      },
    }
  }
  const stop = async () => {
    process.kill(postgres.pid, 'SIGQUIT')
    await postgres.ended
  }
  const start = async () => {
    postgres = await launch()
  }
  return { url: urlOf('postgres'), database, pids: () => processesOf(folder), stop, start, replica }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}
