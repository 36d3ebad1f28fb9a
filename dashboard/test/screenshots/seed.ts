import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join as joinPath } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@vedette/client'
import type { RunningVedette } from '../running-vedette.ts'
import { seededRandom, dayOfSamples, type LoadProfile } from './samples.ts'

const HISTORY = joinPath(import.meta.dirname, '../../../bench/samples/check-history.ts')
/** Servers without a push are offline after 90 s. */
const PUSH_MS = 20_000

export const OWNER = { email: 'ada@example.com', password: 'correct horse battery staple' }

/** The servers of the screenshots; `silent` ones have registered and never pushed. */
const HOSTS: readonly (LoadProfile & { name: string; os: string; tags: string[]; silent?: true })[] = [
  { name: 'web-1', os: 'Debian GNU/Linux 12 (bookworm)', tags: ['web', 'eu'], cpu: 22, memory: 46, disk: 38, traffic: 2_400_000 },
  { name: 'web-2', os: 'Debian GNU/Linux 12 (bookworm)', tags: ['web', 'eu'], cpu: 27, memory: 51, disk: 41, traffic: 2_900_000 },
  { name: 'web-3', os: 'Debian GNU/Linux 12 (bookworm)', tags: ['web', 'us'], cpu: 12, memory: 39, disk: 35, traffic: 900_000 },
  { name: 'db-primary', os: 'Ubuntu 26.04 LTS', tags: ['db', 'eu'], cpu: 48, memory: 81, disk: 72, traffic: 5_200_000 },
  { name: 'db-replica', os: 'Ubuntu 26.04 LTS', tags: ['db', 'us'], cpu: 19, memory: 77, disk: 71, traffic: 3_100_000 },
  { name: 'cache-1', os: 'Alpine Linux v3.24', tags: ['cache'], cpu: 8, memory: 64, disk: 12, traffic: 1_700_000 },
  { name: 'queue-1', os: 'Rocky Linux 10.1', tags: ['queue', 'eu'], cpu: 15, memory: 34, disk: 29, traffic: 640_000 },
  { name: 'build-1', os: 'Fedora Linux 44', tags: ['ci'], cpu: 71, memory: 58, disk: 93, traffic: 420_000 },
  { name: 'build-2', os: 'Fedora Linux 44', tags: ['ci'], cpu: 64, memory: 49, disk: 66, traffic: 380_000 },
  { name: 'backup-1', os: 'Debian GNU/Linux 12 (bookworm)', tags: ['backup'], cpu: 4, memory: 18, disk: 84, traffic: 220_000 },
  { name: 'mail-1', os: 'Debian GNU/Linux 13 (trixie)', tags: ['mail', 'eu'], cpu: 6, memory: 27, disk: 44, traffic: 90_000 },
  { name: 'edge-7', os: 'Ubuntu 26.04 LTS', tags: ['edge', 'us'], cpu: 9, memory: 22, disk: 17, traffic: 150_000, silent: true },
]

const MONITORS = [
  { name: 'Shop', path: '/shop', tags: ['prod'] },
  { name: 'Checkout API', path: '/checkout', tags: ['prod', 'api'] },
  { name: 'Search', path: '/search', tags: ['prod', 'api'] },
  { name: 'Account pages', path: '/account', tags: ['prod'] },
  { name: 'Slow reports', path: '/reports', tags: ['internal'], most: 60 },
  { name: 'Legacy export', path: '/broken', tags: ['internal'] },
  { name: 'Staging', path: '/staging', tags: ['staging'], isPaused: true },
]

/** `close` stops the target of the monitors. */
export interface Seeded {
  /** Of the servers, by name. */
  tokens: ReadonlyMap<string, string>
  close(): Promise<void>
}

/** Fills an installation: the set-up, servers with a day of history, and monitors of a local target. */
export async function seed(vedette: RunningVedette): Promise<Seeded> {
  const { origin, searchParams } = new URL(vedette.readyUrl)
  const open = createClient({ baseUrl: origin })
  const code = searchParams.get('code') ?? ''
  const { token } = await open.setup.complete({ ...OWNER, code, organization: 'Acme' })
  const client = createClient({ baseUrl: origin, token })
  const { key } = await client.apiKeys.create({ name: 'Screenshot servers', scopes: ['agent'] })
  const agent = createClient({ baseUrl: origin, apiKey: key })
  const now = Date.now()
  const hosts: Client[] = []
  const tokens = new Map<string, string>()
  for (const [index, host] of HOSTS.entries()) {
    const registered = await registerHost(origin, agent, client, host, index, now)
    hosts.push(registered.server)
    tokens.set(host.name, registered.token)
  }
  await seedMembers(client, open)
  const target = await startTarget()
  const at = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  for (const { name, path, tags, most, isPaused } of MONITORS) {
    const assertions = most === undefined ? [] : [{ type: 'response_time', operator: 'less_than', value: most } as const]
    const { id } = await client.monitors.create({ name, url: `${at}${path}`, interval: 10, timeout: 5, tags, assertions })
    if (isPaused) await client.monitors.pause(id)
  }
  await promisify(execFile)(process.execPath, [HISTORY, vedette.dataDir])
  await seedAlerts(client, at)
  const timer = setInterval(() => void pushAll(hosts), PUSH_MS)
  return {
    tokens,
    close: () => {
      clearInterval(timer)
      return new Promise((resolve) => {
        target.close(() => resolve())
        // Checks keep theirs open.
        target.closeAllConnections()
      })
    },
  }
}

/** Pushes another minute for each server that is not silent. */
async function pushAll(hosts: readonly Client[]): Promise<void> {
  const nowMs = Date.now()
  for (const [index, server] of hosts.entries()) {
    const host = HOSTS[index]
    if (host && !host.silent)
      await server.agent.submitMetrics(dayOfSamples(host, seededRandom(index + 7), nowMs, 1)).catch(console.error)
  }
}

/** Members of each role, and one pending invitation. */
async function seedMembers(client: Client, open: Client): Promise<void> {
  const { organizations } = await client.auth.me()
  const id = organizations[0]?.id ?? ''
  for (const [name, role] of [
    ['grace', 'admin'],
    ['linus', 'member'],
    ['margaret', 'viewer'],
    ['tim', 'member'],
  ] as const) {
    const { accept_url } = await client.invitations.create(id, { email: `${name}@example.com`, role })
    const token = new URL(accept_url ?? '').searchParams.get('token') ?? ''
    if (name !== 'tim') await open.invitations.accept({ token, password: OWNER.password })
  }
}

/** Channels, a rule, windows, and an acknowledged incident, which the broken monitor opens. */
async function seedAlerts(client: Client, at: string): Promise<void> {
  const databases = { type: 'server', tag: 'db' } as const
  const { id: hook } = await client.channels.create({ name: 'On call', type: 'webhook', config: { url: `${at}/hook` } })
  await client.channels.create({ name: 'Operators', type: 'slack', config: { url: `${at}/slack` } })
  await client.channels.create({ name: 'Phone', type: 'ntfy', config: { url: at, topic: 'acme-oncall' } })
  await client.alertRules.create({
    name: 'Databases are busy',
    target: databases,
    condition: { metric: 'cpu.percent', operator: 'greater_than', value: 60 },
    clear_value: 50,
    for_seconds: 300,
    severity: 'warning',
    channel_ids: [hook],
    repeat_seconds: 3_600,
  })
  await client.maintenanceWindows.create({
    name: 'Sunday updates',
    target: databases,
    starts_at: '2026-11-22T01:00:00Z',
    ends_at: '2026-11-22T03:00:00Z',
    time_zone: 'Europe/Berlin',
    repeat: 'FREQ=WEEKLY;BYDAY=SU',
  })
  const [begin, end] = [-1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString())
  await client.maintenanceWindows.create({
    name: 'New disks of the staging',
    target: { type: 'monitor', tag: 'staging' },
    starts_at: begin ?? '',
    ends_at: end ?? '',
  })
  // The incident opens after two failed checks, which are ten seconds apart.
  for (let tries = 0; tries < 120; tries += 1) {
    const { incidents } = await client.incidents.list({ status: 'open' })
    const incident = incidents.find(({ target }) => target.type === 'monitor')
    if (incident) {
      await client.incidents.acknowledge(incident.id, { comment: 'The export job was moved; I bring it back.' })
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('the broken monitor opened no incident')
}

type Client = ReturnType<typeof createClient>

async function registerHost(
  origin: string,
  agent: Client,
  client: Client,
  host: (typeof HOSTS)[number],
  index: number,
  now: number,
): Promise<{ server: Client; token: string }> {
  const { name, os, tags, silent } = host
  const { server_id, token } = await agent.agent.register({
    hostname: name,
    os,
    kernel: '6.12.48-amd64',
    arch: 'x64',
    agent_version: '0.1.0',
    machine_id: `screenshot-${name}`,
    cpu_model: 'AMD EPYC 9354P 32-Core Processor',
    cpu_cores: 8,
    memory_bytes: 16_777_216_000,
    ip_addresses: [`10.0.4.${10 + index}`],
  })
  await client.servers.update(server_id, { tags })
  const server = createClient({ baseUrl: origin, apiKey: token })
  if (silent) return { server, token }
  const random = seededRandom(index + 7)
  const day = dayOfSamples(host, random, now)
  const { at_ms, ...groups } = day.columns
  // Filesystems and interfaces come once per push: the server with its own screenshot pushes every five minutes.
  const most = name === 'db-primary' ? 5 : 700
  for (let from = 0; from < at_ms.length; from += most) {
    const to = from + most
    const cut = Object.fromEntries(
      Object.entries(groups).map(([group, fields]) => [
        group,
        Object.fromEntries(Object.entries(fields).map(([field, values]) => [field, values.slice(from, to)])),
      ]),
    )
    await server.agent.submitMetrics({
      ...day,
      batch_id: crypto.randomUUID(),
      columns: { at_ms: at_ms.slice(from, to), ...cut },
    })
  }
  return { server, token }
}

/** The target of the monitors; each path responds differently. */
function startTarget(): Promise<Server> {
  const server = createServer((request, response) => {
    const isBroken = request.url === '/broken'
    const delay = request.url === '/reports' ? 90 + Math.random() * 60 : 70 + Math.random() * 50
    setTimeout(() => {
      response.writeHead(isBroken ? 503 : 200, { 'Content-Type': 'text/plain' }).end(isBroken ? 'away' : 'fine')
    }, delay)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
