import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { keepAllPartitions } from '../src/partitions.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { createPool, type Db, distribute, migrate } from '../src/platform/db/index.ts'
import { startEmbeddedPostgres } from '../src/platform/db/postgres/index.ts'
import { layoutOf } from '../src/platform/db/postgres/layout.ts'
import { readPasswords } from '../src/platform/db/postgres/passwords.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { parseSettings } from '../src/operating/settings/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the test cluster's maintenance database. */
    postgresUrl: string
    /** The password of its superuser; undefined on a server that is not the tests' own. */
    superuserPassword: string | undefined
    /** Those of the nodes of a citus, of which the test cluster is the coordinator. */
    nodeUrls: string[]
  }
}

export const TEMPLATE = 'vedette_template'
/** The same with the partitions of `START_MS`, which take longer to make than all of the clone. */
export const PARTITIONED_TEMPLATE = 'vedette_template_partitioned'
/** When the clock of a test begins that asks for no other: a moment like any other, some seconds into its minute and hour. */
export const START_MS = Date.parse('2026-11-20T18:07:10.000Z')

/**
 * One real cluster for the run, and in it migrated templates: each test file works on its own clone. `TEST_DATABASE_URL` names
 * another server to run the same tests against, `TEST_CITUS_NODES` the nodes of a citus, with spaces between, of which that server is
 * the coordinator: then every clone lies on all of them.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const folder = mkdtempSync(join(parentFolder(), 'vedette-test-'))
  // Nothing in these databases must survive the run.
  const postgres =
    given === undefined ? await startEmbeddedPostgres({ dataDir: folder, log: silentLog, fsync: false }) : undefined
  if (postgres) removeAtDeath(folder)
  const url = postgres?.url ?? given ?? ''
  const nodes = (process.env['TEST_CITUS_NODES'] ?? '').split(' ').filter((node) => node !== '')
  await makeTemplates(url, nodes)
  project.provide('postgresUrl', url)
  project.provide('superuserPassword', postgres && (await readPasswords(layoutOf(await realpath(folder)).passwords))?.superuser)
  project.provide('nodeUrls', nodes)
  return async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const MEMORY = '/dev/shm'
/** The programs, the log of changes and the clones of all workers take at most a third. */
const LEAST_MEMORY_BYTES = 2 * 1024 ** 3

/**
 * The memory of Linux where it has room and may hold programs, unless TMPDIR names a folder: in it a clone takes 40 ms, on a disk
 * half a second.
 */
export function parentFolder(): string {
  if (process.env['TMPDIR'] !== undefined || process.platform !== 'linux') return tmpdir()
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY)
  if (mount === undefined || mount.split(' ')[3]?.split(',').includes('noexec')) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= LEAST_MEMORY_BYTES ? MEMORY : tmpdir()
}

/**
 * Ends Postgres and removes its folder when this process is gone, whatever ended it: the pipe to this shell closes then. It has a
 * process group of its own, so that a signal to the group of the run leaves it alive.
 */
function removeAtDeath(folder: string): void {
  const script = `cat >/dev/null; pid=$(head -n 1 "$1/postgres/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null &&
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; rm -rf "$1"`
  const shell = spawn('/bin/sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  ;(shell.stdin as Socket).unref()
}

async function makeTemplates(url: string, nodes: readonly string[]): Promise<void> {
  const all = [url, ...nodes]
  const drops = [PARTITIONED_TEMPLATE, TEMPLATE].map((name) => `drop database if exists ${name}`)
  await onEach(all, ...drops, `create database ${TEMPLATE}`)
  if (nodes.length > 0) await joinNodes(url, nodes, TEMPLATE)
  await within(url, TEMPLATE, (db) => migrate(db, silentLog))
  if (nodes.length > 0) {
    await within(url, TEMPLATE, (db) => distribute(db, silentLog))
    // Citus watches over every database that it was used in, and what is in use is not cloned.
    await onEach(all, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`)
    return
  }
  await onEach(all, `create database ${PARTITIONED_TEMPLATE} template ${TEMPLATE}`)
  const { retention } = parseSettings({}, '/nowhere')
  await within(url, PARTITIONED_TEMPLATE, (db) => keepAllPartitions(db, silentLog, START_MS, retention))
}

async function within(url: string, database: string, work: (db: Db) => Promise<unknown>): Promise<void> {
  const pool = createPool({ url: withDatabase(url, database), clock: systemClock, log: silentLog })
  await work(pool.db)
  await pool.end()
}

/** Makes the database of this name, which is on all of them, one of citus. */
export async function joinNodes(url: string, nodes: readonly string[], database: string): Promise<void> {
  await onEach(
    [url, ...nodes].map((each) => withDatabase(each, database)),
    'create extension citus',
  )
  const add = nodes.map((node) => `select citus_add_node(${hostAndPortOf(node)})`)
  await onEach([withDatabase(url, database)], `select citus_set_coordinator_host(${hostAndPortOf(url)})`, ...add)
}

const hostAndPortOf = (url: string): string => `'${new URL(url).hostname}', ${new URL(url).port}`

/** On all at once, the statements one after the other. */
export async function onEach(urls: readonly string[], ...statements: string[]): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        for (const statement of statements) await client.query(statement)
      } finally {
        await client.end()
      }
    }),
  )
}

export function withDatabase(url: string, database: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${database}`
  return parsed.href
}
