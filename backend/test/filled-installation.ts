import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { joinNodes, onEach, withDatabase } from './global-setup.ts'
import { type Credentials, dropWithConnections, type TestBackend, type TestOrganization, TEST_SECRET } from './harness.ts'
import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { claimSecrets } from '../src/operating/setup/index.ts'

export const HOUR = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()

/** An empty database of its own; spread: on all nodes of the citus that the tests run on, none of its tables distributed yet. */
export async function makeDatabase({ spread = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `archive_${randomUUID().replaceAll('-', '')}`
  const url = inject('postgresUrl')
  const nodes = spread ? inject('nodeUrls') : []
  await onEach([url, ...nodes], `create database ${name}`)
  if (spread) await joinNodes(url, nodes, name)
  return { url: withDatabase(url, name), drop: () => dropEverywhere([url, ...nodes], name) }
}

async function dropEverywhere(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await dropWithConnections(client, name)
    } finally {
      await client.end()
    }
  }
}

export interface FilledInstallation {
  organization: TestOrganization
  owner: Credentials
  /** Of one server: id and what it was acknowledged, percent by instant. */
  server: string
  samples: Map<number, number>
  monitor: string
  /** Paths that are read before and after. */
  urls: string[]
}

/** Data of every kind that an installation stores: recent, compacted and late samples, checks, users, keys, requests. */
export async function fillInstallation(backend: TestBackend, hours = 60): Promise<FilledInstallation> {
  const { pool, clock } = backend
  await claimSecrets(pool.db, createSecrets([TEST_SECRET]), new Date(clock.now()))
  const organization = await backend.organization('Acme')
  const owner = await backend.member(organization, 'owner')
  await backend.member(organization, 'viewer')
  await backend.apiKey(organization, 'read')
  const server = await backend.server(organization)
  const second = await backend.server(organization)
  await pool.pg.query(`update server set registered_at = registered_at - interval '9 days'`)
  const samples = new Map<number, number>()
  for (let hour = hours; hour > 0; hour -= 1) {
    for (const [index, as] of [server.as, second.as].entries()) {
      const ats = Array.from({ length: 10 }, (_, sample) => clock.now() - hour * HOUR + sample * 301_000 + index)
      await push(backend, as, ats, (hour * 7) % 100)
      if (index === 0) for (const at of ats) samples.set(at, (hour * 7) % 100)
    }
  }
  await backend.jobs.compactSamples()
  // Late samples, in hours that are compacted already.
  const late = [5, 30].map((hour) => clock.now() - hour * HOUR + 77_000)
  for (const at of late) await push(backend, server.as, [at], 99.25)
  for (const at of late) samples.set(at, 99.25)
  const monitor = await makeMonitor(backend, owner)
  await deletePage(backend, owner)
  await seedChecks(backend, organization.number)
  await backend.jobs.compactChecks()
  await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, {
    as: owner,
    body: { email: 'new@example.com', role: 'viewer' },
  })
  await backend.vedette.drain()
  return {
    organization,
    owner,
    server: server.id,
    samples,
    monitor,
    urls: urlsOf(backend, organization.id, [server.id, second.id], monitor),
  }
}

async function push(backend: TestBackend, as: Credentials, ats: readonly number[], percent: number): Promise<void> {
  backend.clock.advance(1)
  const samples = ats.map((at, index) => ({
    at: iso(at),
    cpu: { percent, load_1: index / 4 },
    memory: { used_bytes: 2 ** 33 + index, percent: 50.5 },
    disk: { read_iops: index * 1.125, usage_percent: 71.5 },
    network: { rx_bytes_per_sec: 1_000 * index },
  }))
  const state = {
    filesystems: [{ mount: '/srv, "x"', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 50 }],
    interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1.5, tx_bytes_per_sec: null }],
  }
  const head = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1' }
  const answer = await backend.call('POST', '/v1/agent/metrics', { as, body: { ...head, samples, ...state } })
  if (answer.status !== 202 || answer.body.rejected.length > 0) throw new Error(`push: ${JSON.stringify(answer.body)}`)
}

async function makeMonitor(backend: TestBackend, as: Credentials): Promise<string> {
  const body = { name: 'shop', url: 'https://shop.example.com/', headers: { 'X-Secret': 'hush' }, interval: 60, tags: ['a'] }
  const { status, body: made } = await backend.call('POST', '/v1/monitors', { as, body })
  if (status !== 201) throw new Error(JSON.stringify(made))
  return made.id
}

/** With a post, which stays with it. */
async function deletePage(backend: TestBackend, as: Credentials): Promise<void> {
  const { body } = await backend.call('POST', '/v1/status-pages', { as, body: { name: 'old', slug: 'old', title: 'old' } })
  const path = `/v1/status-pages/${body.id}`
  const post = { type: 'incident', title: 'x', text: 'x' }
  const made = await backend.call('POST', `${path}/posts`, { as, body: post })
  const { status } = await backend.call('DELETE', path, { as })
  if (made.status !== 201 || status !== 204) throw new Error(JSON.stringify([made.body, status]))
}

/** One each five minutes over six days. */
async function seedChecks({ pool, clock }: TestBackend, organization: number): Promise<void> {
  await pool.pg.query(
    `insert into check_result (organization, monitor, region, at, day, outcome, status_code, response_us, error_code, error_message)
    select $1, (select number from monitor where organization = $1), (select min(number) from region), at,
      (to_timestamp(at / 1000.0) at time zone 'UTC')::date, case when n % 17 = 0 then 2 else 0 end, case when n % 17 = 0 then null else 200 end,
      10000 + (n * 7919) % 90000, case when n % 17 = 0 then 'connect' end, case when n % 17 = 0 then 'refused' end
    from (select n, $2::bigint - n * 300000 as at from generate_series(1, 1728) as n) as made`,
    [organization, clock.now()],
  )
}

function urlsOf({ clock }: TestBackend, organization: string, servers: readonly string[], monitor: string): string[] {
  const now = clock.now()
  const ranges = Array.from({ length: 12 }, (_, index) => {
    const fromMs = now - (60 - index * 4) * HOUR + index * 61_000
    return `from=${iso(fromMs)}&to=${iso(fromMs + (index + 1) * 3 * HOUR)}`
  }).filter((_, index) => index < 10)
  const windows = [...['15m', '1h', '6h', '24h', '7d'].map((period) => `period=${period}`), ...ranges]
  const metrics = servers.flatMap((id) =>
    windows.flatMap((window) => [
      `/v1/servers/${id}/metrics?${window}`,
      `/v1/servers/${id}/metrics?${window}&points=60`,
      `/v1/servers/${id}/metrics?${window}&points=400`,
      `/v1/servers/${id}/metrics?${window}&metrics=disk&by=mount&points=60`,
      `/v1/servers/${id}/metrics?${window}&metrics=network&by=interface`,
    ]),
  )
  const stats = [...['1h', '6h', '24h', '7d', '30d'].map((period) => `period=${period}`), ...ranges].flatMap((window) => [
    `/v1/monitors/${monitor}/stats?${window}`,
    `/v1/monitors/${monitor}/stats?${window}&points=50`,
  ])
  return [
    ...metrics,
    ...stats,
    ...servers.map((id) => `/v1/servers/${id}`),
    '/v1/servers?include=metrics,sparkline&sort=-cpu',
    '/v1/monitors?include=sparkline,uptime',
    '/v1/status-pages/deleted',
    `/v1/monitors/${monitor}`,
    `/v1/monitors/${monitor}/checks?limit=100`,
    `/v1/monitors/${monitor}/transitions`,
    `/v1/organizations/${organization}`,
    `/v1/organizations/${organization}/members`,
    `/v1/organizations/${organization}/invitations`,
    '/v1/regions',
    '/v1/audit-events?limit=100',
    '/v1/auth/me',
    '/v1/me',
  ]
}

/** The bytes of each answer. */
export async function readAll(backend: TestBackend, urls: readonly string[], as: Credentials): Promise<string[]> {
  const { userId: _userId, ...headers } = as
  const answers: string[] = []
  for (const url of urls) {
    const { statusCode, body } = await backend.vedette.app.inject({ method: 'GET', url, headers })
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`)
    answers.push(body)
  }
  return answers
}

/** Every row of every table but those of who is there now and of the import itself, as text, in an order of its own. */
export async function contentsOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relpersistence = 'p' and relname not like 'kysely%' and relname not in ('instance', 'check_worker') order by 1`,
  )
  const contents: Record<string, string> = {}
  for (const { name } of rows) {
    const but = name === 'setting' ? `where name not in ('import', 'imported', 'last_export')` : ''
    const found = await pool.query<{ n: number; sum: string }>(
      `select count(*)::int as n, coalesce(md5(string_agg(line, e'\\n' order by line)), '') as sum from (select t::text as line from "${name}" as t ${but}) as lines`,
    )
    contents[name] = `${found.rows[0]?.n} ${found.rows[0]?.sum}`
  }
  return contents
}
