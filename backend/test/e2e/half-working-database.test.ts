import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { decodeInstants } from '../../src/metrics/block/index.ts'
import { type Hold, holdBy } from '../database-locks.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../database-proxy.ts'
import { registration } from '../harness.ts'
import { type PrivateCluster, startPrivateCluster } from './private-cluster.ts'
import { type Pusher, startPusher } from './pusher.ts'
import { ADMIN, call, makeWorkbench, OWNER, report, type RunningVedette, signIn, until } from './workbench.ts'

/** What is promised: an answer while it lasts, and service after it ended. */
const ANSWER_MS = 5_000
const HEALED_MS = 10_000
/** A request that has no answer by then has none. */
const NO_ANSWER_MS = 40_000

/** So much of the disk is left to the database before it is filled. */
const DISK_BYTES = 256 * 1024 * 1024

const bench = makeWorkbench()
let cluster: PrivateCluster
let databaseUrl: string
let disk: string
let proxy: DatabaseProxy
let vedette: RunningVedette
let owner: { authorization: string }
let server: { server_id: string; token: string }
let pusher: Pusher

async function asSuperuser(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const END_SESSIONS = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'vedette'"
const ALL_TABLES = `do $$ declare name text; begin
  for name in select oid::regclass from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
  loop execute 'lock table ' || name || ' in access exclusive mode'; end loop; end $$`
const signal = (name: NodeJS.Signals) => {
  for (const pid of cluster.pids()) {
    try {
      process.kill(pid, name)
    } catch {
      continue // ended meanwhile
    }
  }
}

interface Cause {
  what: string
  begin(): unknown
  end(): unknown
  /** Requests that may succeed meanwhile; all others have to fail. */
  spares?: true
}

let hold: Hold | undefined
const causes: Cause[] = [
  {
    what: 'the network swallows what is sent, without a reset',
    begin: () => {
      proxy.stallNew(true)
      proxy.stall()
    },
    end: () => proxy.stallNew(false),
  },
  {
    what: 'the network falls silent in the middle of transactions',
    begin: () => proxy.stallAt('insert into "maintenance_window"'),
    end: () => proxy.stallAt(undefined),
    spares: true,
  },
  { what: 'connections are cut and not accepted', begin: () => proxy.cut(true), end: () => proxy.cut(false) },
  { what: 'all processes of PostgreSQL are stopped', begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') },
  {
    what: 'statements wait for the lock of another client',
    begin: async () => (hold = await holdBy(databaseUrl, ALL_TABLES)),
    end: () => hold?.release(),
  },
  {
    what: 'the database is read-only',
    begin: () => asSuperuser('alter database vedette set default_transaction_read_only = on', END_SESSIONS),
    end: () => asSuperuser('alter database vedette reset default_transaction_read_only'),
    spares: true,
  },
  {
    what: 'there are too many connections',
    begin: () => asSuperuser('alter role vedette connection limit 0', END_SESSIONS),
    end: () => asSuperuser('alter role vedette connection limit -1'),
  },
  { what: 'the database has no memory left (53200)', begin: () => proxy.raise('53200'), end: () => proxy.raise(undefined) },
  { what: 'the database has no disk left (53100)', begin: () => proxy.raise('53100'), end: () => proxy.raise(undefined) },
  { what: 'the database cancels statements (57014)', begin: () => proxy.raise('57014'), end: () => proxy.raise(undefined) },
]
const fullDisk: Cause = {
  what: 'the disk of the database is full',
  begin: () => {
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize))
    // New sessions write files of their own.
    return asSuperuser(END_SESSIONS)
  },
  end: () => rmSync(join(disk, 'ballast')),
  spares: true,
}

/** One of each kind of request; `key` is that of the writes, whose repeats create one monitor. */
const requests: Record<string, (key: string) => Request> = {
  read: () => request('GET', `/v1/servers/${server.server_id}`, owner),
  list: () => request('GET', '/v1/servers?sort=-cpu', owner),
  samples: () => request('GET', `/v1/servers/${server.server_id}/metrics?period=1h`, owner),
  write: (key) => {
    const day = { starts_at: '2050-01-01T00:00:00Z', ends_at: '2050-01-02T00:00:00Z' }
    const window = { name: key, target: { type: 'server' }, ...day }
    return request('POST', '/v1/maintenance-windows', { ...owner, 'idempotency-key': key }, window)
  },
  push: () => {
    const at = new Date().toISOString()
    const batch = { batch_id: randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, memory: { used_percent: 1 } }] }
    return request('POST', '/v1/agent/metrics', { 'x-api-key': server.token }, batch)
  },
  login: () => request('POST', '/v1/auth/login', {}, OWNER),
  readiness: () => request('GET', '/readyz'),
  stream: () => request('GET', '/v1/events', { ...owner, accept: 'text/event-stream' }),
}

function request(method: string, path: string, headers: object = {}, body?: object): Request {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, headers: { ...type, ...headers } as Record<string, string> }
  return new Request(`${vedette.url}${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) })
}

interface Outcome {
  name: string
  /** 0 without an answer. */
  status: number
  retryAfter: string | null
  ms: number
}

async function send(name: string, key: string): Promise<Outcome> {
  const since = performance.now()
  const ending = new AbortController()
  const late = setTimeout(() => ending.abort(), NO_ANSWER_MS)
  try {
    const { status, headers, body } = await fetch((requests[name] as (key: string) => Request)(key), { signal: ending.signal })
    const ms = performance.now() - since
    await body?.cancel()
    return { name, status, retryAfter: headers.get('retry-after'), ms }
  } catch {
    return { name, status: 0, retryAfter: null, ms: performance.now() - since }
  } finally {
    clearTimeout(late)
  }
}

const sendAll = (key: string) => Promise.all(Object.keys(requests).map((name) => send(name, key)))
const isSuccess = ({ status }: Outcome) => status >= 200 && status < 300

/** What is wrong with an answer, for a person. */
function faultOf(outcome: Outcome, spares: Cause['spares']): string[] {
  const { name, status, retryAfter, ms } = outcome
  const said = `${name}: ${status} after ${Math.round(ms)} ms`
  // The server may not know yet that the client of the first is gone.
  const isUnderWay = status === 409 && name === 'write'
  const isRight = (spares && isSuccess(outcome)) || ((status === 503 || (spares && isUnderWay)) && Number(retryAfter) > 0)
  return isRight && ms < ANSWER_MS ? [] : [said]
}

/** How long after the call each kind of request succeeded. */
async function healing(key: string): Promise<Outcome[]> {
  const since = performance.now()
  return Promise.all(
    Object.keys(requests).map(async (name) => {
      for (;;) {
        const outcome = await send(name, key)
        const ms = performance.now() - since
        if (isSuccess(outcome) || ms > NO_ANSWER_MS) return { ...outcome, ms }
        await delay(100)
      }
    }),
  )
}

describe.skipIf(isMissing('initdb', 'postgres', 'createdb'))('a database that half works', () => {
  const keys: string[] = []
  const hasDisk = process.getuid?.() === 0

  beforeAll(async () => {
    cluster = await startPrivateCluster(bench)
    const folder = bench.makeFolder()
    disk = join(folder, 'disk')
    mkdirSync(disk)
    if (hasDisk) {
      const owned = ['uid', 'gid'].map(
        (id) => `${id}=${execFileSync('id', [`-${id[0]}`, 'postgres'], { encoding: 'utf8' }).trim()}`,
      )
      execFileSync('mount', ['-t', 'tmpfs', '-o', [`size=${DISK_BYTES}`, 'mode=0700', ...owned].join(), 'tmpfs', disk])
      mkdirSync(join(disk, 'space'))
      execFileSync('chown', ['postgres:', join(disk, 'space')])
    }
    const space = hasDisk ? ' tablespace small' : ''
    await asSuperuser(
      "create role vedette login password 'vedette'",
      ...(hasDisk ? [`create tablespace small location '${join(disk, 'space')}'`] : []),
      `create database vedette owner vedette${space}`,
    )
    databaseUrl = cluster.url.replace(/\/\/[^@]*@(.*)\/postgres$/, '//vedette:vedette@$1/vedette')
    proxy = await startDatabaseProxy(databaseUrl)
    const keyFile = join(folder, 'agent.key')
    const environment = {
      ...ADMIN,
      DATABASE_URL: proxy.url,
      VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
      VEDETTE_LOCAL_AGENT: 'off',
      // On, but never reached.
      VEDETTE_RATE_LIMITS: 'read=100000,write=100000,auth=100000,agent=1000000',
    }
    vedette = await bench.start({ dataDir: join(folder, 'data'), environment, command: 'serve' })
    owner = await signIn(vedette.url)
    const agentKey = await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim(), 30_000)
    server = (await call(vedette.url, 'POST', '/v1/agent/register', { 'x-api-key': agentKey }, registration('requested'))).body
    const { body } = await call(vedette.url, 'POST', '/v1/agent/register', { 'x-api-key': agentKey }, registration('the pusher'))
    pusher = startPusher(vedette.url, body.token)
    await pusher.nextSuccess()
  })
  afterAll(async () => {
    await (pusher as Pusher | undefined)?.stop(0)
    proxy.close()
    signal('SIGCONT')
    if (hasDisk) execFileSync('umount', ['--lazy', disk])
    await bench.cleanUp()
  })

  test('answers each kind of request while the database works', async () => {
    keys.push('before')
    expect((await sendAll('before')).filter((outcome) => !isSuccess(outcome))).toEqual([])
  })

  test.each(hasDisk ? [...causes, fullDisk] : causes)(
    'answers 503 with Retry-After within 5 s while $what, and serves 10 s later at most [ERROR-28, ERROR-29]',
    async ({ what, begin, end, spares }) => {
      const key = `${what} ${randomUUID()}`
      keys.push(key)
      await begin()
      const faults: string[] = []
      try {
        // What is under way when it begins, and what comes later.
        for (const round of ['at first', 'later'])
          for (const outcome of await sendAll(key)) faults.push(...faultOf(outcome, spares).map((fault) => `${round}, ${fault}`))
      } finally {
        await end()
      }
      const healed = await healing(key)
      const healedMs = Math.max(...healed.map(({ ms }) => ms))
      report(`healed: ${what}`, healedMs)
      expect(faults).toEqual([])
      expect(healed.filter((outcome) => !isSuccess(outcome) || outcome.ms > HEALED_MS)).toEqual([])
      await pusher.nextSuccess()
    },
  )

  test('keeps every acknowledged sample once, and makes every repeated write once', async () => {
    await pusher.stop()
    expect(pusher.failures).toBeGreaterThan(0)
    expect([...pusher.statuses].filter((status) => status !== 503)).toEqual([])
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const stored = await client.query<{ t0: string; data: Buffer }>(
      `select push.t0, push.data from metric_push as push join server
      on server.organization = push.organization and server.number = push.server where server.machine_id = 'the pusher'`,
    )
    const windows = await client.query<{ name: string }>('select name from maintenance_window')
    await client.end()
    const instants = stored.rows.flatMap(({ t0, data }) => [...decodeInstants(data, Number(t0))]).sort((a, b) => a - b)
    expect(instants).toEqual([...pusher.acknowledged.keys()].sort((a, b) => a - b))
    expect(windows.rows.map(({ name }) => name).sort()).toEqual([...keys].sort())
    console.info(`figure: ${instants.length} samples acknowledged, ${pusher.failures} pushes were cut or refused`)
  })
})
