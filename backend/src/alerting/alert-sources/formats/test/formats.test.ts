import { describe, expect, it } from 'vitest'
import type { ReceivedAlert } from '../format.ts'
import { bounded } from './bounded.ts'
import { BODIES, CLOUDWATCH, FORMATS, type FormatName, snsOf } from './bodies.ts'

const NOW_MS = Date.parse('2026-11-30T10:00:00Z')
const read = (name: FormatName, body: unknown) => {
  const { alerts, faults } = FORMATS[name].read({ body, headers: {}, nowMs: NOW_MS })
  return { alerts: alerts.map(bounded), faults }
}
const first = (name: FormatName, body: unknown): ReceivedAlert | undefined => read(name, body).alerts[0]
const withFields = (name: FormatName, fields: object) => first(name, { ...BODIES[name], ...fields })

/** What each sender's body of `BODIES` is read into. */
const READ: Record<FormatName, Omit<ReceivedAlert, 'key'>> = {
  grafana: {
    status: 'firing',
    title: 'Memory of web-1 is full',
    severity: 'critical',
    labels: { alertname: 'High memory usage', team: 'blue', zone: 'us-1', severity: 'critical' },
    text: "More than 95 % for 5 minutes\n[ var='B' labels={} value=96.2 ]",
    url: 'https://grafana.example/d/abc?viewPanel=2',
    startsAtMs: Date.parse('2026-11-30T09:51:03.157Z'),
    endsAtMs: null,
    by: null,
  },
  monitoringCore: {
    status: 'firing',
    title: 'Filesystem /var on web-1 is CRITICAL',
    severity: 'CRITICAL',
    labels: { host: 'web-1', address: '192.0.2.10', service: 'Filesystem /var', state: 'CRITICAL', site: 'mysite' },
    text: '97.1 % used',
    url: 'https://checkmk.example/mysite/check_mk/index.py?start_url=view.py',
    startsAtMs: 1_796_032_263_000,
    endsAtMs: null,
    by: null,
  },
  opsgenie: {
    status: 'firing',
    title: 'Disk of db-1 is full',
    severity: 'P1',
    labels: { host: 'db-1', mount: '/var', env: 'prod', tags: 'urgent, database', entity: 'db-1', source: 'Nagios' },
    text: 'No space is left on /var\n\nSeen by the night shift',
    url: null,
    startsAtMs: null,
    endsAtMs: null,
    by: 'Ada',
  },
  pagerduty: {
    status: 'firing',
    title: 'Disk of db-1 is full',
    severity: 'error',
    labels: {
      source: 'db-1.example.com',
      component: 'postgres',
      group: 'prod-datapipe',
      class: 'disk',
      'ping time': '1500ms',
      'load avg': '0.75',
      'disk.mount': '/var',
    },
    text: 'Runbook: https://wiki.example.com/disk',
    url: 'https://wiki.example.com/disk',
    startsAtMs: Date.parse('2026-11-30T08:42:58.315Z'),
    endsAtMs: null,
    by: null,
  },
  sns: {
    status: 'firing',
    title: 'shop-errors',
    severity: null,
    labels: {
      ApiName: 'shop',
      alarm: 'shop-errors',
      account: '123456789012',
      region: 'EU (Frankfurt)',
      namespace: 'AWS/ApiGateway',
      metric: '5XXError',
    },
    text: 'The shop answers with errors\nThreshold Crossed: 1 datapoint [12.0] was greater than the threshold (10.0).',
    url: 'https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1#alarmsV2:alarm/shop-errors',
    startsAtMs: Date.parse('2026-11-30T09:51:03.157Z'),
    endsAtMs: null,
    by: null,
  },
  uptimeKuma: {
    status: 'firing',
    title: 'Web / Shop is down',
    severity: null,
    labels: { team: 'shop', public: 'true', monitor: 'Shop', type: 'http', target: 'https://shop.example/health' },
    text: 'connect ECONNREFUSED',
    url: null,
    startsAtMs: Date.parse('2026-11-30T09:51:35.527Z'),
    endsAtMs: null,
    by: null,
  },
  zabbix: {
    status: 'firing',
    title: 'Disk space is low on db-1',
    severity: 'High',
    labels: { scope: 'capacity', production: 'true', host: 'db-1', host_ip: '192.0.2.11' },
    text: '97.1 %\nProblem started at 10:51:03',
    url: 'https://zabbix.example/tr_events.php?triggerid=23456&eventid=4711',
    startsAtMs: 1_796_032_263_000,
    endsAtMs: null,
    by: null,
  },
}

const KEYS: Partial<Record<FormatName, string>> = {
  monitoringCore: 'web-1!Filesystem /var',
  opsgenie: 'disk-db-1',
  pagerduty: 'db-1/disk',
  sns: CLOUDWATCH.AlarmArn,
  uptimeKuma: 'monitor:29',
  zabbix: '4711',
}

describe('what a sender describes', () => {
  it.each(Object.keys(FORMATS) as FormatName[])('a whole body of %s is read into one alert', (name) => {
    const { alerts, faults } = read(name, BODIES[name])
    expect(alerts).toEqual([{ ...READ[name], key: expect.stringMatching(KEYS[name] ?? /^[0-9a-f]{32}$/) }])
    expect(faults).toEqual([])
  })

  it.each<[FormatName, object, ReceivedAlert['status']]>([
    ['monitoringCore', { type: 'RECOVERY', state: 'OK' }, 'resolved'],
    ['monitoringCore', { type: 'ACKNOWLEDGEMENT' }, 'acknowledged'],
    ['monitoringCore', { type: 'CUSTOM' }, 'commented'],
    ['monitoringCore', { type: 'DOWNTIMESTART' }, 'commented'],
    ['monitoringCore', { type: 'FLAPPINGSTART', state: 'WARNING' }, 'firing'],
    ['monitoringCore', { type: 'FLAPPINGSTART', state: 'OK' }, 'commented'],
    ['monitoringCore', { type: 'FLAPPINGSTOP', state: 'OK' }, 'resolved'],
    ['monitoringCore', { type: 'FLAPPINGEND', state: 'CRITICAL' }, 'firing'],
    ['monitoringCore', { service: '', state: 'UP', type: 'RECOVERY' }, 'resolved'],
    ['pagerduty', { event_action: 'acknowledge', payload: undefined }, 'acknowledged'],
    ['pagerduty', { event_action: 'resolve', payload: undefined }, 'resolved'],
    ['sns', snsOf({ ...CLOUDWATCH, NewStateValue: 'OK' }), 'resolved'],
    ['sns', snsOf({ ...CLOUDWATCH, NewStateValue: 'INSUFFICIENT_DATA' }), 'commented'],
    ['sns', snsOf('The nightly backup did not run'), 'firing'],
    ['uptimeKuma', { heartbeat: { monitorID: 29, status: 1 } }, 'resolved'],
    ['uptimeKuma', { heartbeat: { monitorID: 29, status: 3 } }, 'commented'],
    ['zabbix', { event_value: '0' }, 'resolved'],
    ['zabbix', { update_status: '1', update_action: 'acknowledged, commented' }, 'acknowledged'],
    ['zabbix', { update_status: '1', update_action: 'unacknowledged' }, 'commented'],
    ['zabbix', { update_status: '1', update_action: 'commented' }, 'commented'],
    ['zabbix', { update_status: '1', update_action: 'acknowledged', event_value: '0' }, 'commented'],
  ])('%s is read as its status: %#', (name, fields, status) => {
    expect(withFields(name, fields)).toMatchObject({ status })
  })

  it.each<[FormatName, object, string]>([
    ['grafana', { alerts: 'none' }, 'alerts: must be a list of at most 10,000 alerts'],
    ['grafana', { alerts: Array.from({ length: 10_001 }, () => 0) }, 'alerts: must be a list of at most 10,000 alerts'],
    ['monitoringCore', { type: 'HELLO' }, 'type: must be one of PROBLEM, RECOVERY'],
    ['monitoringCore', { host: ' ' }, 'host: must be a text that is not empty'],
    ['opsgenie', { message: null }, 'message: must be a text that is not empty'],
    ['opsgenie', { priority: 'P9' }, 'priority: must be one of P1, P2'],
    ['pagerduty', { event_action: 'open' }, 'event_action: must be one of trigger, acknowledge, resolve'],
    ['pagerduty', { payload: {} }, 'payload.summary: must be a text'],
    ['pagerduty', { event_action: 'resolve', dedup_key: '' }, 'dedup_key: must be the key'],
    ['sns', { Type: 'Hello' }, 'Type: must be one of Notification'],
    ['sns', { Message: '{"AlarmName":"a","NewStateValue":"BAD"}' }, 'NewStateValue: must be one of ALARM'],
    ['uptimeKuma', { heartbeat: { monitorID: 29, status: 2 } }, 'heartbeat.status: must be 0'],
    ['uptimeKuma', { heartbeat: { status: 0 }, monitor: null }, 'heartbeat.monitorID: must be the id'],
    ['uptimeKuma', { heartbeat: null, msg: null }, 'heartbeat: must be an object'],
    ['zabbix', { event_id: 'x' }, 'event_id: must be the id of an event'],
    ['zabbix', { event_value: '{EVENT.VALUE}' }, 'event_value: must be one of 0, 1'],
  ])('%s is refused with the field that is wrong: %#', (name, fields, message) => {
    expect(() => withFields(name, fields)).toThrow(message)
  })
})

describe('one body with several alerts, or none', () => {
  it('each alert of Grafana is read alone, and what cannot be read is named', () => {
    const [alert] = BODIES.grafana.alerts
    const resolved = { ...alert, status: 'resolved', labels: { alertname: 'Disk' }, endsAt: '2026-11-30T09:55:00Z' }
    const { alerts, faults } = read('grafana', { alerts: [alert, null, resolved, { status: 'silenced' }] })
    expect(alerts.map(({ status, endsAtMs }) => [status, endsAtMs])).toEqual([
      ['firing', null],
      ['resolved', Date.parse('2026-11-30T09:55:00Z')],
    ])
    expect(faults).toEqual(['alerts.1: status must be firing or resolved', 'alerts.3: status must be firing or resolved'])
  })

  it('the key of an alert of Grafana follows from its labels, in any order, and not from the fingerprint that is sent', () => {
    const keyOf = (labels: object, fingerprint: string) =>
      first('grafana', { alerts: [{ status: 'firing', labels, fingerprint }] })?.key
    expect(keyOf({ a: '1', b: '2' }, 'x')).toBe(keyOf({ b: '2', a: '1' }, 'y'))
    expect(keyOf({ a: '1', b: '2' }, 'x')).not.toBe(keyOf({ a: '1b', '': '2' }, 'x'))
  })

  it('an alert of Grafana with more than 1,000 labels is left out', () => {
    const labels = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`label${index}`, 'x']))
    const { alerts, faults } = read('grafana', { alerts: [{ status: 'firing', labels }] })
    expect([alerts, faults]).toEqual([[], ['alerts.0: labels must be at most 1,000']])
  })

  it('names 20 faults and counts the others', () => {
    const { faults } = read('grafana', { alerts: Array.from({ length: 25 }, () => 0) })
    expect(faults).toHaveLength(21)
    expect(faults.at(-1)).toBe('5 more could not be read')
  })

  it.each<[FormatName, object]>([
    ['uptimeKuma', { heartbeat: null, monitor: null, msg: 'My Notification Testing' }],
    ['zabbix', { event_source: '1' }],
    ['sns', { Type: 'SubscriptionConfirmation' }],
  ])('%s with %j is no alert, and says so', (name, fields) => {
    const { alerts, faults } = read(name, { ...BODIES[name], ...fields })
    expect(alerts).toEqual([])
    expect(faults).toEqual([expect.stringContaining('no alert')])
  })

  it('a certificate that Uptime Kuma reports again on another day is the same alert', () => {
    const message = (days: number) =>
      `[Shop][https://shop.example] server certificate shop.example will be expired in ${days} days`
    const [day14, day7] = [14, 7].map((days) => first('uptimeKuma', { heartbeat: null, monitor: null, msg: message(days) }))
    expect(day14).toMatchObject({ status: 'firing', severity: 'warning', title: message(14) })
    expect(day7?.key).toBe(day14?.key)
  })

  it('macros that Zabbix did not fill are no texts', () => {
    const alert = withFields('zabbix', {
      event_severity: '*UNKNOWN*',
      host: '{HOST.NAME}',
      zabbix_url: '{$ZABBIX.URL}',
      event_timestamp: '{EVENT.TIMESTAMP}',
    })
    expect(alert).toMatchObject({ severity: null, url: null, startsAtMs: null })
    expect(alert?.labels['host']).toBeUndefined()
  })

  it('an update in Zabbix says who wrote what', () => {
    const update = { update_status: '1', update_action: 'acknowledged', update_message: 'I am on it', user: 'Ada L.' }
    expect(withFields('zabbix', update)).toMatchObject({ by: 'Ada L.', text: 'I am on it' })
  })
})
