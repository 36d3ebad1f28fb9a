import { randomUUID } from 'node:crypto'
import type { CheckResult, RegisterAnswer, Role, Scope } from '@vedette/shared'
import type { InjectOptions } from 'fastify'
import pg from 'pg'
import { inject as injectProvided } from 'vitest'
import { createApiKey } from '../src/access/api-keys/index.ts'
import { createApp, type VedetteApp } from '../src/app.ts'
import { createUser, hashPassword, openSession } from '../src/access/auth/index.ts'
import { NO_ANNOUNCEMENTS } from './changes.ts'
import { createJobs, type JobDeps, type Jobs } from '../src/jobs.ts'
import { keepAllPartitions } from '../src/partitions.ts'
import { insertMembership } from '../src/access/members/index.ts'
import type { Prober } from '../src/monitoring/monitors/index.ts'
import { createOrganization } from '../src/access/organizations/index.ts'
import { createPool, type Db, inTransaction, type Pool } from '../src/platform/db/index.ts'
import { createEvaluatorPool } from '../src/querying/promql/index.ts'
import { encodeId } from '../src/platform/ids.ts'
import { type Log, silentLog } from '../src/platform/logging/log.ts'
import type { DatabaseClock } from '../src/platform/limits/index.ts'
import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { addRegion, ensureRegion } from '../src/monitoring/regions/index.ts'
import type { Uptime } from '../src/hosts/servers/index.ts'
import type { Clock } from '../src/platform/time/clock.ts'
import { parseSettings, publicUrl, type Settings } from '../src/operating/settings/index.ts'
import { createTxtLookup } from '../src/platform/domain-proof/index.ts'
import type { Answer } from './answer.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { PARTITIONED_TEMPLATE, START_MS, TEMPLATE, withDatabase } from './global-setup.ts'
import { parse, proxied, type Send, THROUGH_PROXY } from './through-proxy.ts'

export type { Answer } from './answer.ts'

export const PASSWORD = 'a long and rare passphrase'
export const TEST_SECRET = 'a secret for tests that has more than 32 bytes'

/** Credentials as a request sends them; `userId` is for tests only. */
export type Credentials = { authorization?: string; 'x-api-key'?: string; userId?: string }

export interface TestOrganization {
  number: number
  /** `org_…` */
  id: string
  name: string
}

/** One backend on its own clone of the migrated template. Several may stand on one database: see `database`. */
export interface TestBackend {
  vedette: VedetteApp
  /** Its background jobs, which run when a test says so. */
  jobs: Jobs
  /** What the jobs need, for a test that starts them by their own times. */
  jobDeps: JobDeps
  pool: Pool
  clock: FakeClock
  settings: Settings
  databaseUrl: string
  /** The TXT records that the backend finds, by name. */
  txtRecords: Map<string, string[]>
  call(
    method: string,
    url: string,
    options?: { as?: Credentials; body?: unknown; headers?: Record<string, string>; ip?: string },
  ): Promise<Answer>
  /** The same past the proxy, where there is one: what a test needs before its own call. */
  callDirectly: TestBackend['call']
  /** Listens on a loopback port, which stays the same for later calls, and resolves to it. */
  listen(): Promise<number>
  /** A new organization with an owner; credentials of each kind are made by the functions below. */
  organization(name?: string): Promise<TestOrganization>
  /** A new user of this role, signed in. */
  member(organization: TestOrganization, role: Role): Promise<{ authorization: string; userId: string }>
  apiKey(organization: TestOrganization, ...scopes: Scope[]): Promise<{ 'x-api-key': string }>
  /** A registered server. */
  server(organization: TestOrganization, machineId?: string): Promise<{ id: string; as: Credentials }>
  /** The token of a new region's probes. */
  probe(region?: string): Promise<{ 'x-api-key': string }>
  close(): Promise<void>
}

export interface TestOptions {
  /** The version that the backend reports. */
  version?: string
  /** Environment of the settings. */
  environment?: Record<string, string>
  uptime?: Partial<Uptime>
  startMs?: number
  /** The database of another backend, which drops it. */
  databaseUrl?: string
  clock?: FakeClock
  /** What npm reads when it fetches Node for agents; without it there is no npm. */
  npmEnvironment?: Record<string, string>
  /** Private addresses that webhooks of visitors may reach; without it none. */
  visitorTargets?: string
  /** A name server in place of `txtRecords`. */
  txtServer?: string
  /** What checks definitions that are tried; without it each of them is up. */
  prober?: Prober
  log?: Log
  /** Of the installation, newest first; without it `TEST_SECRET`. */
  secret?: string | readonly string[]
  /** The clock of the limits' windows; without it the fake clock. */
  databaseClock?: DatabaseClock
  /** How long a statement may be silent; without it longer than any test on a busy machine. */
  statementLimitMs?: number
  /** How long a request may wait for the database; without it as long. */
  requestLimitMs?: number
  /** Whether calls go over a socket and through a proxy that holds them to the published description. */
  throughProxy?: boolean
}

export async function startTestBackend(options: TestOptions = {}): Promise<TestBackend> {
  const clock = options.clock ?? createFakeClock(options.startMs ?? START_MS)
  const databaseUrl = options.databaseUrl ?? (await clone(templateFor(clock, options)))
  const { throughProxy = THROUGH_PROXY } = options
  const settings = parseSettings(environmentOf(options, throughProxy), '/nowhere')
  // Who waits too long for a connection pauses before the next try, and a clock that stands still ends no pause.
  const { statementLimitMs = 60_000, requestLimitMs = 60_000 } = options
  const limits = { patienceMs: 60_000, statementLimitMs, requestLimitMs }
  const pool = createPool({
    url: databaseUrl,
    clock,
    log: silentLog,
    max: 6,
    namedStatements: process.env['TEST_DATABASE_URL'] === undefined,
    ...limits,
  })
  await keepAllPartitions(pool.db, silentLog, clock.now(), settings.retention)
  await ensureRegion(pool.db, { id: settings.region, name: settings.region }, new Date(clock.now()))
  const uptime: Uptime = { startedAtMs: clock.now() - 86_400_000, aliveBeforeMs: undefined, ...options.uptime }
  const databaseClock = options.databaseClock ?? { now: () => clock.now(), measure: () => Promise.resolve() }
  const log = options.log ?? silentLog
  const txtRecords = new Map<string, string[]>()
  const { txtServer } = options
  const txtLookup = txtServer ? createTxtLookup([txtServer]) : async (name: string) => ({ values: txtRecords.get(name) ?? [] })
  const secrets = createSecrets([options.secret ?? TEST_SECRET].flat())
  const evaluators = createEvaluatorPool()
  const vedette = await createApp({
    settings,
    pool,
    clock,
    log,
    prober: options.prober ?? { check: async () => passedCheck(clock.now()) },
    databaseClock,
    txtLookup,
    evaluators,
    visitorTargets: options.visitorTargets,
    secrets,
    changes: NO_ANNOUNCEMENTS,
    uptime,
    tls: undefined,
    version: options.version ?? 'test',
    environment: options.npmEnvironment ?? { PATH: '/nowhere' },
  })
  await vedette.app.ready()
  let port: Promise<number> | undefined
  const listen = () => (port ??= vedette.app.listen({ host: '127.0.0.1', port: 0 }).then((url) => Number(new URL(url).port)))
  const directly = injectInto(vedette)
  const proxy = throughProxy ? await proxied(descriptionOf(vedette, options), await listen(), directly) : undefined
  const call = callBy(proxy?.send ?? directly)
  const callDirectly = callBy(directly)
  const linksLeadTo = () => publicUrl(settings, settings.port)
  const changes = NO_ANNOUNCEMENTS
  const { visitorTargets } = options
  const ofInstance = { settings, pool, clock, databaseClock, log, secrets, txtLookup, changes }
  const jobDeps = { ...ofInstance, evaluators, visitorTargets, publicUrl: linksLeadTo }
  const jobs = createJobs(jobDeps)
  return {
    vedette,
    jobs,
    jobDeps,
    pool,
    clock,
    settings,
    databaseUrl,
    txtRecords,
    call,
    callDirectly,
    listen,
    ...peopleOf(pool, clock, vedette, callDirectly),
    close: async () => {
      jobs.end()
      await proxy?.close()
      await vedette.app.close()
      await vedette.drain()
      await evaluators.close()
      await pool.end()
      if (options.databaseUrl === undefined) await dropDatabase(databaseUrl)
    },
  }
}

const descriptions = new Map<string, object>()
/** Made once for each version that backends report: nothing else differs. */
function descriptionOf({ app }: VedetteApp, { version = '' }: TestOptions): object {
  const description = descriptions.get(version) ?? app.swagger()
  descriptions.set(version, description)
  return description
}

/** What a prober says of a target that answers. */
export function passedCheck(atMs: number): CheckResult {
  return {
    checked_at: new Date(atMs).toISOString(),
    outcome: 'up',
    status_code: 200,
    response_ms: 15,
    dns_ms: 1,
    connect_ms: 2,
    tls_ms: null,
    first_byte_ms: 10,
    transfer_ms: 2,
    error: null,
    address: '192.0.2.80',
    http_version: '1.1',
    certificate: null,
    delayed: false,
  }
}

function environmentOf({ environment = {} }: TestOptions, throughProxy: boolean): Record<string, string> {
  const given = { VEDETTE_RATE_LIMITS: 'off', VEDETTE_LOG_LEVEL: 'silent', ...environment }
  if (!throughProxy) return given
  return { ...given, VEDETTE_TRUST_PROXY: String(Number(environment['VEDETTE_TRUST_PROXY'] ?? 0) + 1) }
}

function callBy(send: Send): TestBackend['call'] {
  return (method, url, { as = {}, body, headers = {}, ip = '192.0.2.1' } = {}) => {
    const { userId: _userId, ...credentials } = as
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return send({ method, url, headers: { ...type, ...credentials, ...headers }, body: payload, ip })
  }
}

function injectInto({ app }: VedetteApp): Send {
  return async ({ method, url, headers, body, ip }) => {
    const payload = body === undefined ? {} : { payload: body }
    const response = await app.inject({ method, url, headers, remoteAddress: ip, ...payload } as InjectOptions)
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body === '' ? undefined : parse(response.body),
    }
  }
}

function peopleOf(pool: Pool, clock: FakeClock, vedette: VedetteApp, call: TestBackend['call']) {
  const { db } = pool
  const deps = { db, clock, tokens: vedette.tokens }
  const addUser = async () => createUser(db, clock, `${randomUUID()}@example.com`, await passwordHash)
  const people = {
    organization: async (name = 'Acme') => {
      const owner = await addUser()
      const make = (transaction: Db) => createOrganization(transaction, clock, name, owner)
      const { number, id } = await inTransaction(db, make)
      return { number, name, id: encodeId('organization', id) }
    },
    member: async (organization: TestOrganization, role: Role) => {
      const userId = await addUser()
      await insertMembership(db, organization.number, userId, role, new Date(clock.now()))
      const { session } = await openSession(deps, db, userId, '192.0.2.1')
      return { authorization: `Bearer ${session.token}`, userId }
    },
    apiKey: async (organization: TestOrganization, ...scopes: Scope[]) => {
      const key = { name: scopes.join(), scopes, createdBy: null }
      const { secret } = await inTransaction(db, (transaction) => createApiKey(transaction, clock, organization.number, key))
      return { 'x-api-key': secret }
    },
    probe: async (region = `region-${randomUUID()}`) => ({ 'x-api-key': await addRegion({ db, clock }, region, region) }),
    server: async (organization: TestOrganization, machineId: string = randomUUID()) => {
      const as = await people.apiKey(organization, 'agent')
      const { status, body } = await call('POST', '/v1/agent/register', { as, body: registration(machineId) })
      if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`)
      const { server_id, token } = body as RegisterAnswer
      return { id: server_id, as: { 'x-api-key': token } }
    },
  }
  return people
}

/** Hashed once: it is slow by design. */
const passwordHash = hashPassword(PASSWORD)

export function registration(machineId: string, more: object = {}): object {
  return {
    hostname: 'web-1',
    os: 'Debian GNU/Linux 12',
    kernel: '6.1.0',
    arch: 'x64',
    agent_version: '0.1.0',
    machine_id: machineId,
    ...more,
  }
}

/** Which partitions stand depends on the moment and on how long samples are kept: the one that has them is for what both leave alone. */
function templateFor(clock: Clock, { environment = {} }: TestOptions): string {
  const keepsOtherwise = Object.keys(environment).some((name) => name.includes('RETENTION'))
  const isUsual = clock.now() === START_MS && !keepsOtherwise && injectProvided('nodeUrls').length === 0
  return isUsual ? PARTITIONED_TEMPLATE : TEMPLATE
}

async function clone(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onAll((client) => untilUnused(() => client.query(`create database ${name} template ${template} strategy file_copy`)))
  return withDatabase(injectProvided('postgresUrl'), name)
}

function dropDatabase(url: string): Promise<void> {
  return onAll((client) => dropWithConnections(client, new URL(url).pathname.slice(1)))
}

/**
 * Ends the role's own connections, then drops. `drop … with (force)` gives up where autovacuum is at work in the database, whose
 * process an ordinary role may not end; a plain drop ends that itself.
 */
export async function dropWithConnections(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user', [
    name,
  ])
  await untilUnused(() => client.query(`drop database ${name}`))
}

/** On the server of the tests, and the nodes where it has some. */
async function onAll(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const urls = [injectProvided('postgresUrl'), ...injectProvided('nodeUrls')]
  await Promise.all(urls.map(async (url) => work(await administratorOf(url))))
}

const administrators = new Map<string, Promise<pg.Client>>()

/** One session for all files of a process: a new one costs Postgres as much CPU as a clone does. */
function administratorOf(url: string): Promise<pg.Client> {
  const open = administrators.get(url)
  if (open) return open
  const client = new pg.Client({ connectionString: url })
  const connecting = client.connect().then(() => client)
  administrators.set(url, connecting)
  for (const event of ['error', 'end'] as const) client.on(event, () => administrators.delete(url))
  return connecting
}

/** Clones of one template wait for each other: a database that is in use is tried again. */
async function untilUnused(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await act()
      return
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== '55006' || tries > 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
