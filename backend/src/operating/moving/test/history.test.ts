import { DAY_MS, HOUR_MS } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyOf, partsOf, type PastAlert, TOOLS } from '../index.ts'

const NOW = Date.parse('2026-12-01T12:00:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()
const read = (tool: string, files: Readonly<Record<string, unknown>>) => {
  const { alerts, left } = historyOf(TOOLS[tool]?.history?.(new Map(Object.entries(files))) ?? [], NOW)
  return { alerts: [...alerts], left: left.map(({ alert, reason }) => [alert.id, reason]) }
}

/** As Opsgenie's documentation has one. */
const ALERT = {
  id: '70413a06-38d6-4c85-92b8-5ebc900d42e2',
  tinyId: '1791',
  alias: 'event_573',
  message: 'Our servers are in danger',
  status: 'closed',
  acknowledged: false,
  isSeen: true,
  tags: ['OverwriteQuietHours', 'env:prod'],
  count: 79,
  createdAt: '2026-03-21T20:32:52.353Z',
  updatedAt: '2026-04-03T20:32:57.301Z',
  source: 'Isengard',
  owner: 'morpheus@example.com',
  priority: 'P4',
  integration: { id: '4513b7ea', name: 'Nebuchadnezzar', type: 'API' },
  report: { ackTime: 15_702, closeTime: 60_503, acknowledgedBy: 'smith@example.com', closedBy: 'neo@example.com' },
  entity: 'EC2',
  description: 'Example description',
  details: { serverName: 'Zion', region: 'Oregon' },
}
const INTEGRATIONS = { 'integrations/4513b7ea.json': { id: '4513b7ea', name: 'Nebuchadnezzar', type: 'API' } }
const REF = 'alert_source:opsgenie/integrations/4513b7ea'

describe('alerts of Opsgenie', () => {
  it('have the times of their report to the millisecond, their people, labels and notes', () => {
    const notes = { data: [{ note: 'on it', owner: 'smith@example.com', createdAt: '2026-03-21T20:33:00Z', offset: '1' }] }
    const files = { ...INTEGRATIONS, 'alerts.json': { data: [ALERT] }, [`alerts/${ALERT.id}/notes.json`]: notes }
    expect(read('opsgenie', files)).toEqual({
      left: [],
      alerts: [
        [
          REF,
          [
            {
              id: ALERT.id,
              key: 'event_573',
              title: 'Our servers are in danger',
              text: 'Example description',
              severity: 'P4',
              labels: {
                serverName: 'Zion',
                region: 'Oregon',
                env: 'prod',
                tags: 'OverwriteQuietHours',
                entity: 'EC2',
                source: 'Isengard',
              },
              opened_at: '2026-03-21T20:32:52.353Z',
              acknowledged_at: '2026-03-21T20:33:08.055Z',
              acknowledged_by: 'smith@example.com',
              resolved_at: '2026-03-21T20:33:52.856Z',
              resolved_by: 'neo@example.com',
              comments: [{ at: '2026-03-21T20:33:00.000Z', text: 'on it', by: 'smith@example.com' }],
            },
          ],
        ],
      ],
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['a list', { 'alerts.json': [ALERT] }],
    ['a file an alert', { [`alerts/${ALERT.id}.json`]: ALERT }],
    ['the answer of one alert', { [`alerts/${ALERT.id}.json`]: { data: ALERT, took: 0.1, requestId: 'x' } }],
    ['a list in the folder of the backup', { 'OpsGenieBackups/alerts/2026-03.json': [ALERT] }],
  ])('are read from %s', (_, files) => {
    expect(read('opsgenie', { ...INTEGRATIONS, ...files }).alerts).toMatchObject([[REF, [{ id: ALERT.id, comments: [] }]]])
  })

  it('end with their last change where nothing says when they were closed', () => {
    const { report: _report, ...alert } = ALERT
    expect(read('opsgenie', { ...INTEGRATIONS, 'alerts.json': [alert] }).alerts).toMatchObject([
      [REF, [{ resolved_at: '2026-04-03T20:32:57.301Z', resolved_by: null }]],
    ])
  })

  it('that are open, too old, without times or of no integration that comes are left out and named', () => {
    const files = {
      ...INTEGRATIONS,
      'integrations/off.json': { id: 'off', name: 'Off', type: 'API', enabled: false },
      'alerts.json': [
        { ...ALERT, id: 'open', status: 'open' },
        { ...ALERT, id: 'old', createdAt: iso(NOW - 400 * DAY_MS) },
        { ...ALERT, id: 'no-start', createdAt: 'yesterday' },
        { ...ALERT, id: 'future', report: { closeTime: 400 * DAY_MS } },
        { ...ALERT, id: 'off', integration: { id: 'off', name: 'Off' } },
        { ...ALERT, id: 'none', integration: undefined },
        'nonsense',
      ],
    }
    expect(read('opsgenie', files)).toEqual({
      alerts: [],
      left: [
        ['open', expect.stringContaining('open at the source')],
        ['old', 'it began more than 399 days ago'],
        ['no-start', 'its times cannot be read'],
        ['future', 'its times cannot be read'],
        ['off', 'the integration Off does not come as an alert source'],
        ['none', 'the integration (none) does not come as an alert source'],
        ['', 'it has no id'],
      ],
    })
  })
})

it('incidents of PagerDuty have the times of their log entries', () => {
  const incident = {
    id: 'Q1',
    incident_key: 'db-1/disk',
    title: 'Disk is full',
    status: 'resolved',
    urgency: 'high',
    created_at: '2026-11-01T10:00:00Z',
    last_status_change_at: '2026-11-01T10:09:00Z',
    last_status_change_by: { id: 'U1', summary: 'Ada' },
    service: { id: 'S1', summary: 'Shop' },
    html_url: 'https://acme.pagerduty.com/incidents/Q1',
  }
  const files = {
    'users.json': { users: [{ id: 'U1', name: 'Ada', email: 'ada@example.com' }] },
    'services.json': { services: [{ id: 'S1', name: 'Shop' }] },
    'incidents.json': { incidents: [incident, { ...incident, id: 'Q2', status: 'triggered' }] },
    'incidents/Q1/log_entries.json': {
      log_entries: [{ id: 'R1', type: 'acknowledge_log_entry', created_at: '2026-11-01T10:02:00Z', agent: { id: 'U1' } }],
    },
    'incidents/Q1/notes.json': {
      notes: [{ id: 'N1', content: 'on it', created_at: '2026-11-01T10:03:00Z', user: { summary: 'Ben' } }],
    },
  }
  const { alerts, left } = read('pagerduty', files)
  expect(left).toEqual([['Q2', expect.stringContaining('open at the source')]])
  expect(alerts).toMatchObject([
    [
      'alert_source:pagerduty/services/S1',
      [
        {
          key: 'db-1/disk',
          severity: 'critical',
          acknowledged_at: '2026-11-01T10:02:00.000Z',
          acknowledged_by: 'ada@example.com',
          resolved_at: '2026-11-01T10:09:00.000Z',
          resolved_by: 'ada@example.com',
          comments: [{ at: '2026-11-01T10:03:00.000Z', text: 'on it', by: 'Ben' }],
        },
      ],
    ],
  ])
})

it('alert groups of Grafana OnCall become alerts of their integration', () => {
  const group = { id: 'I1', integration_id: 'C1', title: 'Disk is full', state: 'resolved', created_at: '2026-11-01T10:00:00.5Z' }
  const files = {
    'users.json': { results: [{ id: 'U1', username: 'ada', email: 'ada@example.com' }] },
    'integrations.json': { results: [{ id: 'C1', name: 'Alertmanager' }] },
    'alert_groups.json': {
      results: [
        { ...group, acknowledged_at: '2026-11-01T10:01:00Z', acknowledged_by: 'U1', resolved_at: '2026-11-01T10:05:00Z' },
      ],
    },
  }
  expect(read('grafana-oncall', files).alerts).toMatchObject([
    [
      'alert_source:grafana-oncall/integrations/C1',
      [{ id: 'I1', key: 'I1', opened_at: '2026-11-01T10:00:00.500Z', acknowledged_by: 'ada@example.com' }],
    ],
  ])
})

it('requests have at most 500 alerts and 800 kB, and all alerts in their order', () => {
  const past = (index: number, text: string): PastAlert => ({
    id: String(index),
    key: '',
    title: 'x',
    text,
    openedMs: NOW - HOUR_MS + index,
    resolvedMs: NOW,
    isOpen: false,
    ref: 'a',
    by: '',
  })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_200 }), fc.integer({ min: 0, max: 5_000 }), (count, length) => {
      const all = Array.from({ length: count }, (_, index) => past(index, 'ä'.repeat(length)))
      const parts = partsOf(historyOf(all, NOW).alerts.get('a') ?? [])
      expect(parts.flat().map(({ id }) => id)).toEqual(all.map(({ id }) => id))
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(500)
        expect(Buffer.byteLength(JSON.stringify({ alerts: part }))).toBeLessThan(1_000_000)
      }
    }),
    { numRuns: 20 },
  )
})
