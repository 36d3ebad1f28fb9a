import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { startReceiver } from '../../../../test/receiver.ts'
import { BODIES } from '../formats/test/bodies.ts'

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.parse('2026-11-30T10:00:00Z') })
})
afterAll(() => backend.close())
beforeEach(async () => {
  admin = await backend.apiKey(await backend.organization(), 'admin')
})

const [grafanaAlert] = BODIES.grafana.alerts
const alertmanagerBody = (status: string) => ({
  alerts: [{ status, labels: { alertname: 'DiskFull', severity: 'page' }, annotations: { summary: 'Disk is full' } }],
})
/** What each type is sent: an alert that begins, its end, and what is read of the first. */
const SENT: [type: string, body: object, over: object, incident: object][] = [
  ['alertmanager', alertmanagerBody('firing'), alertmanagerBody('resolved'), { summary: 'Disk is full', severity: 'critical' }],
  [
    'grafana',
    BODIES.grafana,
    { ...BODIES.grafana, alerts: [{ ...grafanaAlert, status: 'resolved', endsAt: '2026-11-30T10:00:00Z' }] },
    { summary: 'Memory of web-1 is full', severity: 'critical' },
  ],
  [
    'pagerduty_v2',
    BODIES.pagerduty,
    { event_action: 'resolve', dedup_key: 'db-1/disk' },
    { summary: 'Disk of db-1 is full', severity: 'critical', labels: { component: 'postgres' } },
  ],
  [
    'zabbix',
    BODIES.zabbix,
    { ...BODIES.zabbix, event_value: '0' },
    { summary: 'Disk space is low on db-1', severity: 'critical' },
  ],
  ...['checkmk', 'icinga2'].map((type): [string, object, object, object] => [
    type,
    BODIES.monitoringCore,
    { ...BODIES.monitoringCore, type: 'RECOVERY', state: 'OK' },
    { summary: 'Filesystem /var on web-1 is CRITICAL', severity: 'critical', target: { name: 'web-1' } },
  ]),
  [
    'uptime_kuma',
    BODIES.uptimeKuma,
    { ...BODIES.uptimeKuma, heartbeat: { monitorID: 29, status: 1 } },
    { summary: 'Web / Shop is down', severity: 'warning' },
  ],
  [
    'generic',
    { id: 7, title: 'Backup failed', severity: 'high' },
    { id: 7, title: 'Backup failed', status: 'ok' },
    { summary: 'Backup failed', severity: 'critical' },
  ],
]

describe('what a sender posts to the address of its source', () => {
  it.each(SENT)(
    '%s: opens an incident, changes nothing when it is sent again, and ends it',
    async (type, body, over, incident) => {
      const created = await backend.call('POST', '/v1/alert-sources', { as: admin, body: { name: type, type } })
      expect(created.status).toBe(201)
      const post = async (sent: object) => (await backend.call('POST', `/v1/in/${created.body.token}`, { body: sent })).body
      const incidents = async () => (await backend.call('GET', '/v1/incidents', { as: admin })).body.incidents
      expect(await post(body)).toEqual({ taken: 1, opened: 1, resolved: 0, faults: [] })
      expect(await post(body)).toEqual({ taken: 1, opened: 0, resolved: 0, faults: [] })
      expect(await incidents()).toMatchObject([{ status: 'open', origin: { type: 'source' }, ...incident }])
      expect(await post(over)).toEqual({ taken: 1, opened: 0, resolved: 1, faults: [] })
      expect(await incidents()).toMatchObject([{ status: 'resolved' }])
    },
  )
})

it('no address that an alert names is requested as it comes', async () => {
  const named = await startReceiver()
  // All addresses of the bodies, and those of pictures and links that PagerDuty takes.
  const text = (body: object) => JSON.stringify(body).replaceAll(/https?:\/\/[^"\\ ]+/g, named.url)
  const more = { links: [{ href: named.url }], images: [{ src: named.url, href: named.url }], client_url: named.url }
  for (const [type, body] of SENT) {
    const { body: source } = await backend.call('POST', '/v1/alert-sources', { as: admin, body: { name: type, type } })
    const links = { generatorURL: named.url, externalURL: named.url, SubscribeURL: named.url, ...more }
    const { status } = await backend.call('POST', new URL(source.address).pathname.replace(/(pagerduty\/.*)$/, '$1/v2/enqueue'), {
      body: { ...links, ...(JSON.parse(text(body)) as object) },
    })
    expect([type, status]).toEqual([type, type === 'pagerduty_v2' ? 202 : 200])
  }
  expect((await backend.call('GET', '/v1/incidents', { as: admin })).body.total).toBe(SENT.length)
  backend.clock.advance(60_000)
  expect(named.received).toEqual([])
  await named.close()
})
