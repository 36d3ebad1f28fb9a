import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { readSamples } from '../../src/hosts/metrics/index.ts'
import { createPool } from '../../src/platform/db/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { type Hold, holdBy } from '../database-locks.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../database-proxy.ts'
import { startPrivateCluster } from './private-cluster.ts'
import type { Workbench } from './workbench.ts'

/** A way in which a database works by half. */
export interface Cause {
  what: string
  begin(database: FaultyDatabase): unknown
  end(database: FaultyDatabase): unknown
  /** Requests that may succeed meanwhile; all others have to fail. */
  spares?: true
}

export interface FaultyDatabase {
  /** Of the database itself, past the proxy. */
  url: string
  proxy: DatabaseProxy
  asSuperuser(...statements: string[]): Promise<void>
  /** To all processes of PostgreSQL. */
  signal(name: NodeJS.Signals): void
  /** Fills the disk, or gives the space back. */
  fillDisk(fills: boolean): void
  clean(): void
}

/** So much of the disk is left to the database before it is filled. */
const DISK_BYTES = 256 * 1024 * 1024

const END_SESSIONS = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'vedette'"
const ALL_TABLES = `do $$ declare name text; begin
  for name in select oid::regclass from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
  loop execute 'lock table ' || name || ' in access exclusive mode'; end loop; end $$`

let hold: Hold | undefined
const WITHOUT_DISK: readonly Cause[] = [
  {
    what: 'the network swallows what is sent, without a reset',
    begin: ({ proxy }) => {
      proxy.stallNew(true)
      proxy.stall()
    },
    end: ({ proxy }) => proxy.stallNew(false),
  },
  {
    what: 'the network falls silent in the middle of transactions',
    begin: ({ proxy }) => proxy.stallAt('insert into "maintenance_window"'),
    end: ({ proxy }) => proxy.stallAt(undefined),
    spares: true,
  },
  { what: 'connections are cut and not accepted', begin: ({ proxy }) => proxy.cut(true), end: ({ proxy }) => proxy.cut(false) },
  {
    what: 'all processes of PostgreSQL are stopped',
    begin: ({ signal }) => signal('SIGSTOP'),
    end: ({ signal }) => signal('SIGCONT'),
  },
  {
    what: 'statements wait for the lock of another client',
    begin: async ({ url }) => (hold = await holdBy(url, ALL_TABLES)),
    end: () => hold?.release(),
  },
  {
    what: 'the database is read-only',
    begin: ({ asSuperuser }) => asSuperuser('alter database vedette set default_transaction_read_only = on', END_SESSIONS),
    end: ({ asSuperuser }) => asSuperuser('alter database vedette reset default_transaction_read_only'),
    spares: true,
  },
  {
    what: 'there are too many connections',
    begin: ({ asSuperuser }) => asSuperuser('alter role vedette connection limit 0', END_SESSIONS),
    end: ({ asSuperuser }) => asSuperuser('alter role vedette connection limit -1'),
  },
  {
    what: 'the database has no memory left (53200)',
    begin: ({ proxy }) => proxy.raise('53200'),
    end: ({ proxy }) => proxy.raise(undefined),
  },
  {
    what: 'the database has no disk left (53100)',
    begin: ({ proxy }) => proxy.raise('53100'),
    end: ({ proxy }) => proxy.raise(undefined),
  },
  {
    what: 'the database cancels statements (57014)',
    begin: ({ proxy }) => proxy.raise('57014'),
    end: ({ proxy }) => proxy.raise(undefined),
  },
]

/** Only root may mount a small disk. */
const HAS_DISK = process.getuid?.() === 0

const FULL_DISK: Cause = {
  what: 'the disk of the database is full',
  begin: ({ fillDisk, asSuperuser }) => {
    fillDisk(true)
    // New sessions write files of their own.
    return asSuperuser(END_SESSIONS)
  },
  end: ({ fillDisk }) => fillDisk(false),
  spares: true,
}

export const CAUSES: readonly Cause[] = HAS_DISK ? [...WITHOUT_DISK, FULL_DISK] : WITHOUT_DISK

/** A PostgreSQL of its own behind a proxy, on a small disk where root starts it. */
export async function startFaultyDatabase(bench: Workbench): Promise<FaultyDatabase> {
  const cluster = await startPrivateCluster(bench)
  const disk = join(bench.makeFolder(), 'disk')
  mkdirSync(disk)
  if (HAS_DISK) {
    const owned = ['uid', 'gid'].map(
      (id) => `${id}=${execFileSync('id', [`-${id[0]}`, 'postgres'], { encoding: 'utf8' }).trim()}`,
    )
    execFileSync('mount', ['-t', 'tmpfs', '-o', [`size=${DISK_BYTES}`, 'mode=0700', ...owned].join(), 'tmpfs', disk])
    mkdirSync(join(disk, 'space'))
    execFileSync('chown', ['postgres:', join(disk, 'space')])
  }
  const asSuperuser = async (...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: cluster.url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await asSuperuser(
    "create role vedette login password 'vedette'",
    ...(HAS_DISK ? [`create tablespace small location '${join(disk, 'space')}'`] : []),
    `create database vedette owner vedette${HAS_DISK ? ' tablespace small' : ''}`,
  )
  const url = cluster.url.replace(/\/\/[^@]*@(.*)\/postgres$/, '//vedette:vedette@$1/vedette')
  const proxy = await startDatabaseProxy(url)
  const signal = (name: NodeJS.Signals) => {
    for (const pid of cluster.pids()) {
      try {
        process.kill(pid, name)
      } catch {
        continue // ended meanwhile
      }
    }
  }
  return {
    url,
    proxy,
    asSuperuser,
    signal,
    fillDisk: (fills) => {
      const ballast = join(disk, 'ballast')
      if (!fills) return rmSync(ballast)
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    },
    clean: () => {
      proxy.close()
      signal('SIGCONT')
      if (HAS_DISK) execFileSync('umount', ['--lazy', disk])
    },
  }
}

/** Instants of the stored samples of a server, as often as they are stored, ms, ascending. */
export async function storedInstants(url: string, machineId: string): Promise<number[]> {
  const pool = createPool({ url, clock: systemClock, log: silentLog, max: 2 })
  const server = await pool.db
    .selectFrom('server')
    .select(['organization', 'number'])
    .where('machine_id', '=', machineId)
    .executeTakeFirstOrThrow()
  const instants: number[] = []
  const { read } = await readSamples(pool.db, server, { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY })
  for await (const { atMs } of read()) instants.push(...atMs)
  await pool.db.destroy()
  return instants.sort((a, b) => a - b)
}
