import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { entitiesOf } from './entities.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Servers without a push are offline after 90 s. */
const PUSH_MS = 20_000

/** Sends a request as the owner, and returns the body of the answer. */
type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>
// The bodies are of all routes; the pages show what is wrong with them.
// oxlint-disable-next-line typescript/no-explicit-any
type Answer = any

/** By the name of its id in the addresses of the dashboard, and the path of a public status page. */
export interface Nouns {
  ids: Record<string, string>
  close(): void
}

const callerOf =
  (origin: string, token: string): Call =>
  async (method, path, body, headers) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { ...(headers ?? { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

const from = (ms: number): string => new Date(Date.now() + ms).toISOString()

/** One or more of each noun that `seed` leaves out, in the organization that it filled. */
export async function seedNouns(origin: string, token: string, tokens: ReadonlyMap<string, string>): Promise<Nouns> {
  const call = callerOf(origin, token)
  const { servers } = await call('GET', '/v1/servers?limit=100&sort=name')
  const { monitors } = await call('GET', '/v1/monitors?limit=100')
  const idOf = (name: string): string =>
    [...servers, ...monitors].find((each: Answer) => [each.name, each.hostname, each.display_name].includes(name))?.id ?? ''
  const targets = await startTargets()
  const timer = await seedEntities(call, tokens)
  const own = await seedMonitors(call, targets.ports, idOf)
  const pages = await seedPages(call, idOf, own['heartbeat'] ?? '')
  const alerting = await seedAlerting(call, idOf)
  const other = await seedOthers(call, idOf)
  const { incidents } = await call('GET', '/v1/incidents?limit=100')
  const { alert_rules: rules } = await call('GET', '/v1/alert-rules?limit=100')
  const { maintenance_windows: windows } = await call('GET', '/v1/maintenance-windows')
  const { channels } = await call('GET', '/v1/channels')
  const ids = {
    serverId: idOf('db-primary'),
    monitorId: idOf('Checkout API'),
    compositeId: own['composite'] ?? '',
    incidentId: incidents.find(({ target }: Answer) => target.name === 'Legacy export')?.id ?? '',
    ruleId: rules.find(({ name }: Answer) => name === 'Databases are busy')?.id ?? '',
    windowId: windows[0].id,
    channelId: channels.find(({ name }: Answer) => name === 'Phone').id,
    ...pages,
    ...alerting,
    ...other,
  }
  const close = () => {
    clearInterval(timer)
    targets.close()
  }
  return { ids, close }
}

/** A TCP server, and one with a certificate of 20 days. */
async function startTargets(): Promise<{ ports: { tcp: number; tls: number }; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 20 -subj /CN=shop.example.com -keyout ${key} -out ${cert}`
  execFileSync('openssl', made.split(' '), { stdio: 'ignore' })
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => socket.end())
  rmSync(folder, { recursive: true })
  const tcp = createServer((socket) => socket.on('error', () => socket.destroy()).end('220 ready\r\n'))
  tls.on('tlsClientError', () => undefined)
  const listen = (server: Server) =>
    new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
  const ports = { tcp: await listen(tcp), tls: await listen(tls) }
  return { ports, close: () => [tcp, tls].forEach((server) => server.close()) }
}

/** What is on the hosts, over ten minutes. */
async function seedEntities(call: Call, tokens: ReadonlyMap<string, string>): Promise<NodeJS.Timeout> {
  const pushes: (() => Promise<unknown>)[] = []
  for (const name of ['db-primary', 'build-1', 'web-1']) {
    const push = (minutes: number) => {
      const parts = entitiesOf(name, 9 - minutes, from(-minutes * MINUTE))
      const body = { batch_id: randomUUID(), sent_at: from(0), agent_version: '0.1.0', ...parts }
      return call('POST', '/v1/agent/metrics', body, { 'x-api-key': tokens.get(name) ?? '' })
    }
    for (let minutes = 9; minutes >= 0; minutes -= 1) await push(minutes)
    pushes.push(() => push(0))
  }
  return setInterval(() => void Promise.all(pushes.map((push) => push())).catch(console.error), PUSH_MS)
}

const DOWN_FOR_WANT_OF = [
  ['Orders database', 'postgres', 'postgres://127.0.0.1:1/orders', { username: 'probe', password: 'hush' }],
  ['Sessions', 'redis', 'redis://127.0.0.1:1'],
] as const
const PAUSED = [
  ['Inventory', 'mysql', 'mysql://db.example.com/stock', { username: 'probe', password: 'hush' }],
  ['Catalogue', 'mongodb', 'mongodb://db.example.com'],
  ['Sensors', 'mqtt', 'mqtt://broker.example.com/a/%23'],
  ['Time', 'ntp', 'ntp://time.example.com'],
  ['Bastion', 'ssh', 'ssh://bastion.example.com'],
  ['Uploads', 'ftp', 'ftp://files.example.com'],
  ['Mail out', 'smtp', 'smtp://mail.example.com'],
  ['Mail in', 'imap', 'imap://mail.example.com'],
  ['Live prices', 'websocket', 'wss://shop.example.com/live'],
  ['Basket service', 'grpc', 'grpcs://api.example.com'],
  ['example.com', 'domain', 'domain://example.com'],
  ['www', 'dns', 'dns:///www.example.com?type=A'],
] as const

/** Monitors of further kinds, by kind. */
async function seedMonitors(call: Call, ports: { tcp: number; tls: number }, idOf: (name: string) => string) {
  const ids: Record<string, string> = {}
  const make = async (type: string, body: object) => {
    ids[type] = (await call('POST', '/v1/monitors', { type, interval: 30, timeout: 5, ...body })).id
    return ids[type]
  }
  await make('tcp', { name: 'Mail gateway', url: `tcp://127.0.0.1:${ports.tcp}`, tags: ['prod', 'mail'] })
  await make('tls', { name: 'Certificate of the shop', url: `tls://127.0.0.1:${ports.tls}`, tags: ['prod'] })
  await make('icmp', { name: 'Router in Berlin', url: 'icmp://127.0.0.1', tags: ['network'] })
  for (const [name, type, url, credentials] of DOWN_FOR_WANT_OF)
    await make(type, { name, url, tags: ['internal'], ...(credentials && { credentials }) })
  for (const [name, type, url, credentials] of PAUSED) {
    const id = await make(type, { name, url, tags: ['planned'], ...(credentials && { credentials }) })
    await call('POST', `/v1/monitors/${id}/pause`)
  }
  const heartbeat = await call('POST', '/v1/monitors', {
    name: 'Nightly backup of the orders',
    type: 'heartbeat',
    options: { schedule: { period_seconds: 3_600, grace_seconds: 300 } },
    description: 'Runs on `backup-1`. **Runbook**: start it by hand with `systemctl start backup`.',
  })
  ids['heartbeat'] = heartbeat.id
  const { ping_url: ping } = await call('GET', `/v1/monitors/${heartbeat.id}`)
  if (typeof ping === 'string')
    for (const end of ['/start', '']) await fetch(ping + end, { method: 'POST', body: 'copied 12 GB' })
  await make('composite', {
    name: 'The shop as customers see it',
    interval: undefined,
    timeout: undefined,
    options: {
      members: [
        { type: 'monitor', id: idOf('Shop'), required: true },
        { type: 'monitor', id: idOf('Checkout API'), weight: 3 },
        { type: 'monitor', id: idOf('Legacy export') },
        { type: 'server', tag: 'db' },
        { type: 'entity', server_id: idOf('db-primary'), kind: 'container', name: 'shop/web' },
      ],
      down_when: { any_required_down: true },
      degraded_when: { down_at_least: 1 },
    },
  })
  return ids
}

async function seedPages(call: Call, idOf: (name: string) => string, heartbeat: string) {
  const { id: pageId } = await call('POST', '/v1/status-pages', {
    name: 'Customers',
    slug: 'acme',
    published: true,
    title: 'Acme status',
    sections: [
      {
        name: 'Shop',
        monitors: [idOf('Shop'), idOf('Checkout API'), idOf('Search')],
        names: { [idOf('Search')]: 'Product search' },
      },
      { name: 'Back office', monitors: [idOf('Legacy export'), heartbeat] },
    ],
    templates: [{ name: 'Outage', title: 'Outage of the shop', text: 'We are looking into it.' }],
  })
  await call('POST', `/v1/status-pages/${pageId}/subscribers`, { type: 'webhook', url: 'https://hooks.example.com/status' })
  const { id: postId } = await call('POST', `/v1/status-pages/${pageId}/posts`, {
    type: 'incident',
    title: 'Exports are delayed',
    text: 'Exports to partners arrive **late**. We are looking into it.',
    monitors: [idOf('Legacy export')],
  })
  await call('POST', `/v1/status-pages/${pageId}/posts/${postId}/updates`, { status: 'identified', text: 'A queue is full.' })
  await call('POST', '/v1/status-pages', { name: 'Staff', slug: 'staff', title: 'Internal services', visibility: 'link' })
  return { pageId, postId }
}

/** People on duty, who is notified, and alerts of other systems. */
async function seedAlerting(call: Call, idOf: (name: string) => string) {
  const { organizations } = await call('GET', '/v1/auth/me')
  const { members } = await call('GET', `/v1/organizations/${organizations[0].id}/members`)
  const people: string[] = members.map(({ id }: Answer) => id)
  const monday = new Date(Date.now() - 7 * DAY)
  monday.setUTCHours(8, 0, 0, 0)
  const { id: scheduleId } = await call('POST', '/v1/schedules', {
    name: 'Shop',
    time_zone: 'Europe/Berlin',
    layers: [
      { user_ids: people.slice(0, 3), starts_at: monday.toISOString(), repeat: 'FREQ=WEEKLY' },
      {
        user_ids: people.slice(1, 4),
        starts_at: monday.toISOString(),
        repeat: 'FREQ=DAILY',
        ends_at: from(14 * DAY),
      },
    ],
    overrides: [{ user_id: people[2], starts_at: from(2 * DAY), ends_at: from(2 * DAY + 8 * HOUR) }],
  })
  const { channels } = await call('GET', '/v1/channels')
  const { id: policyId } = await call('POST', '/v1/escalation-policies', {
    name: 'Shop on call',
    steps: [
      { schedule_ids: [scheduleId], wait_seconds: 600 },
      { user_ids: [people[0]], wait_seconds: 900 },
      { channel_ids: [channels[0].id] },
    ],
  })
  await call('POST', '/v1/contact-methods', { type: 'ntfy', config: { url: 'http://127.0.0.1:9', topic: 'ada' } })
  const source = await call('POST', '/v1/alert-sources', { name: 'Prometheus in Berlin', type: 'generic', tags: ['site:berlin'] })
  const alerts = [
    { id: 'disk', title: 'Disk of storage-4 fails', severity: 'critical', status: 'firing' },
    { id: 'queue', title: 'Queue of letters grows', severity: 'warning', status: 'firing' },
  ]
  for (const alert of alerts)
    await fetch(source.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alert),
    })
  await call('POST', '/v1/annotations', {
    text: 'Deployed shop 4.12',
    at: from(-3 * HOUR),
    monitor_id: idOf('Checkout API'),
    tags: ['deploy'],
  })
  return { scheduleId, policyId, sourceId: source.id }
}

async function seedOthers(call: Call, idOf: (name: string) => string) {
  const { channels } = await call('GET', '/v1/channels')
  const channel_ids = [channels[0].id]
  const slo = (name: string, id: string, objective: number) =>
    call('POST', '/v1/slos', { name, target: { id }, objective, channel_ids })
  const { id: sloId } = await slo('Checkout works', idOf('Checkout API'), 99.9)
  await slo('Exports', idOf('Legacy export'), 99)
  await slo('Search answers', idOf('Search'), 99.5)
  const { id: certificateId } = await call('POST', '/v1/certificates', { name: 'Code signing', not_after: from(25 * DAY) })
  await call('POST', '/v1/certificates', { name: 'Signing of invoices', not_after: from(400 * DAY) })
  const { id: changeId } = await call('POST', '/v1/change-sets', {
    owner: 'git:infra',
    resources: [
      {
        kind: 'slo',
        ref: 'shop/account',
        spec: { name: 'Account pages', target: { id: idOf('Account pages') }, objective: 99.5, channel_ids },
        source: { file: 'slos/account.yaml', line: 12 },
      },
    ],
  })
  await call('POST', `/v1/change-sets/${changeId}/apply`)
  await call('PATCH', `/v1/slos/${sloId}`, { objective: 99.95 })
  await call('POST', '/v1/change-sets', {
    owner: 'git:infra',
    resources: [
      {
        kind: 'monitor',
        ref: 'shop/wiki',
        spec: { name: 'Wiki', url: 'https://wiki.example.com/' },
        source: { file: 'monitors.yaml', line: 3 },
      },
    ],
  })
  return { sloId, certificateId, changeId }
}
