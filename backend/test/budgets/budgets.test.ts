import { randomUUID } from 'node:crypto'
import { MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordChecks } from '../../src/monitoring/checks/results/record.ts'
import { claimChecks } from '../../src/monitoring/checks/schedule/claim-store.ts'
import { monitorsOf, resultOf } from '../../src/monitoring/checks/test/monitors.ts'
import { toCompletedCheck, toLocalCheck } from '../../src/monitoring/checks/worker/local-check.ts'
import { createEncrypter } from '../../src/platform/crypto/encrypter.ts'
import type { Answer } from '../answer.ts'
import type { Credentials } from '../harness.ts'
import { pagesOf } from '../status-pages.ts'
import { type CountedBackend, startCountedBackend } from './counting.ts'
import { BUDGETS, faultsOf } from './table.ts'
import { READS_OF_VIEWS } from './views.ts'

const HOSTS = 20
const MINUTES = 5
const ALERTS = 500
const FIELDS = ['usage_percent', 'user_percent', 'system_percent', 'iowait_percent']

let counted: CountedBackend
let works: Record<string, () => Promise<unknown>>
beforeAll(async () => {
  counted = await startCountedBackend()
  works = await fill(counted)
})
afterAll(() => counted.close())

async function fill({ backend }: CountedBackend): Promise<typeof works> {
  const { clock, pool } = backend
  const organization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  const get = (path: string, as?: Credentials) => () => backend.call('GET', path, { as: as ?? owner })
  /** Of the minute that has passed. */
  const push = ({ as }: { as: Credentials }, now = clock.now()) => {
    const values = Object.fromEntries(FIELDS.map((field, index) => [field, [1, 2, 3, 4, 5, 6].map((value) => value + index)]))
    const columns = { at_ms: [50, 40, 30, 20, 10, 0].map((agoSeconds) => now - agoSeconds * 1_000), cpu: values }
    const body = { batch_id: randomUUID(), sent_at: new Date(now).toISOString(), agent_version: '0.1.0', columns }
    return backend.call('POST', '/v1/agent/metrics', { as, body })
  }
  const pages = pagesOf(backend, organization, owner)
  const shown: string[] = []
  for (const name of ['Shop', 'Orders', 'E-mail']) {
    const monitor = await pages.monitor({ name })
    await pages.checked(monitor, 'u'.repeat(60))
    shown.push(monitor.wireId)
  }
  const page = await pages.page({ sections: [{ name: 'Services', monitors: shown }] })
  const made = []
  for (let host = 0; host < HOSTS; host += 1) made.push(await backend.server(organization))
  for (let minute = 0; minute < MINUTES; minute += 1) {
    clock.advance(MINUTE_MS)
    for (const server of made) await push(server)
  }
  const [server] = made as [(typeof made)[number]]
  const monitors = monitorsOf(backend)
  const region = await monitors.region('eu')
  for (let monitor = 0; monitor < HOSTS; monitor += 1) await monitors.monitor(organization, { regions: ['eu'] })
  const heartbeat = await backend.call('POST', '/v1/monitors', {
    as: owner,
    body: { name: 'Backup', type: 'heartbeat', options: { schedule: { period_seconds: 300, grace_seconds: 60 } } },
  })
  const encrypter = createEncrypter([Buffer.alloc(32, 1)])
  const claim = () => {
    const share = { index: 0, count: 1 }
    const times = { nowMs: clock.now(), aheadMs: 4_000, nearMs: 4_000, leaseMs: 5_000 }
    return claimChecks(pool.db, { region, ...times, includesTimeout: false, share, limit: 1 })
  }
  const check = async () => {
    for (;;) {
      const [row] = await claim()
      const now = clock.now()
      if (row) return recordChecks(pool, [toCompletedCheck(toLocalCheck(row, encrypter), resultOf('up', now), now)], now)
      clock.advance(1_000)
    }
  }
  // In an organization of its own: the pages of the other one show channels.
  const receiving = await backend.member(await backend.organization(), 'owner')
  const channel = await backend.call('POST', '/v1/channels', {
    as: receiving,
    body: { name: 'on call', type: 'webhook', config: { url: 'https://hooks.example.com/' } },
  })
  const source = await backend.call('POST', '/v1/alert-sources', {
    as: receiving,
    body: { name: 'Prometheus', type: 'alertmanager', max_open: 20_000, channel_ids: [channel.body.id] },
  })
  let postNumber = 0
  /** Alerts of one source, each about a host of its own. */
  const postAlerts = (of: number) => {
    const labels = (index: number) => ({ alertname: 'DiskFull', instance: `db-${of}-${index}`, severity: 'critical' })
    const alerts = Array.from({ length: ALERTS }, (_, index) => ({ status: 'firing', labels: labels(index) }))
    return backend.call('POST', `/v1/in/${source.body.token}`, { body: { alerts } })
  }
  /** All reads of a page, one after the other. */
  const view = (path: keyof typeof READS_OF_VIEWS) => async () => {
    const bodies: unknown[] = []
    const instants = { from: new Date(clock.now() - MINUTES * MINUTE_MS), to: new Date(clock.now()) }
    for (const read of READS_OF_VIEWS[path]) {
      const address = read
        .replaceAll(/(from|to)=instant/g, (_, end: keyof typeof instants) => `${end}=${instants[end].toISOString()}`)
        .replace('srv_', server.id)
        .replace('mon_', shown[0] ?? '')
      const { status, body } = await get(address)()
      expect([address, status]).toEqual([address, 200])
      bodies.push(body)
    }
    return { body: bodies }
  }
  return {
    'a view of the overview': view('/'),
    'a view of the list of hosts': view('/servers'),
    'a view of a host': view('/servers/$serverId'),
    'a view of the list of monitors': view('/monitors'),
    'a view of a monitor': view('/monitors/$monitorId'),
    'a view of the list of incidents': view('/incidents'),
    'the overview': get('/v1/overview'),
    'the list of hosts, with values and small charts': get('/v1/servers?include=metrics,sparkline'),
    'the busiest hosts': get('/v1/servers?status=online&sort=-cpu&limit=5&include=metrics,sparkline'),
    'a host': get(`/v1/servers/${server.id}`),
    'a day of a host, all groups': get(`/v1/servers/${server.id}/metrics?period=24h`),
    'the list of monitors': get('/v1/monitors'),
    'a monitor': get(`/v1/monitors/${heartbeat.body.id}`),
    'the list of incidents': get('/v1/incidents'),
    'a public status page': get(`/status/${page.slug}`, {}),
    'a push of six samples': () => {
      clock.advance(MINUTE_MS)
      return push(server)
    },
    'a check of a monitor, claimed and stored': check,
    'a post of 500 alerts, all new': () => postAlerts((postNumber += 1)),
    'a post of 500 alerts, all known': () => postAlerts(postNumber),
    'a ping of a heartbeat': get(new URL(heartbeat.body.ping_url).pathname, {}),
  }
}

/** How often each runs before it is counted: what is cached then is, as on an installation that people use. */
const WARM_UP = 3

it('names what is exceeded, and a budget that is too large', () => {
  const budget = { statements: 2, rows: 3, buffers: 100, log: 0 }
  expect(faultsOf({ ...budget, buffers: 1 }, budget)).toEqual([])
  expect(faultsOf({ ...budget, statements: 3, buffers: 101 }, budget)).toEqual([
    'statements: 3, the budget is 2',
    'buffers: 101, the budget is 100',
  ])
  expect(faultsOf({ ...budget, statements: 1 }, budget)).toEqual(['statements: only 1, lower the budget of 2'])
})

it('has a budget for each piece of work', () => expect(Object.keys(BUDGETS)).toEqual(Object.keys(works)))

it.each(Object.keys(BUDGETS))('%s stays within its budget', async (name) => {
  const work = works[name] as () => Promise<unknown>
  for (let run = 0; run < WARM_UP; run += 1) await counted.count(work)
  const { answer, counts, statements } = await counted.count(work)
  const found = { ...counts, sent: sizeOf(answer) }
  if (process.env['SHOW_COUNTS']) console.info(`  '${name}': ${JSON.stringify(found)},`)
  expect(faultsOf(found, BUDGETS[name] as (typeof BUDGETS)[string]), statements.join('\n')).toEqual([])
})

const sizeOf = (answer: unknown): number => {
  const body = (answer as Answer | undefined)?.body
  return body === undefined ? 0 : Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body))
}
