import { describe, expect, it } from 'vitest'
import { addressTable, TOOLS } from '../index.ts'
import { peopleOf } from '../model.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const FILES: Record<string, Record<string, unknown>> = {
  opsgenie: {
    'integrations/i1.json': { integration: { id: 'i1', name: 'Prometheus', type: 'Prometheus', apiKey: KEY } },
    'integrations/i2.json': { id: 'i2', name: 'Mails', type: 'Email', emailAddress: 'alerts@shop.opsgenie.net' },
    'integrations/i3.json': { id: 'i3', name: 'Scripts', type: 'API' },
    'heartbeats.json': [{ name: 'Nightly backup', interval: 1, intervalUnit: 'days' }],
  },
  pagerduty: {
    'services.json': {
      services: [
        { id: 'P1', name: 'Shop', integrations: [{ integration_key: KEY }, { integration_email: 'shop@example.pagerduty.com' }] },
        { id: 'P2', name: 'Orders', integrations: [{ id: 'I1', type: 'events_api_v2_inbound_integration_reference' }] },
      ],
    },
  },
  'grafana-oncall': {
    'integrations.json': {
      results: [
        {
          id: 'C1',
          name: 'Grafana',
          type: 'grafana',
          link: `https://oncall.example.com/integrations/v1/grafana/${KEY}/?a=${KEY}`,
        },
        { id: 'C2', name: 'Mails', type: 'inbound_email', inbound_email: 'x@example.com', link: null },
      ],
    },
  },
  'splunk-oncall': { 'user.json': { users: [] } },
}
const filesOf = (tool: string) => new Map(Object.entries(FILES[tool] ?? {}))
const oldOf = (tool: string) => (TOOLS[tool]?.addresses(filesOf(tool)) ?? []).map(({ name, old }) => [name, ...old])

describe('the addresses that senders use at the source', () => {
  it('of Opsgenie are its API, a mailbox, or that of a heartbeat', () =>
    expect(oldOf('opsgenie')).toEqual([
      ['Prometheus', 'https://api.opsgenie.com/v2/alerts with GenieKey …cdef'],
      ['Mails', 'alerts@shop.opsgenie.net'],
      ['Scripts', 'https://api.opsgenie.com/v2/alerts'],
      ['Nightly backup', 'https://api.opsgenie.com/v2/heartbeats/Nightly%20backup/ping'],
    ]))

  it('of PagerDuty are those of the integrations of a service', () =>
    expect(oldOf('pagerduty')).toEqual([
      ['Shop', 'https://events.pagerduty.com/v2/enqueue with routing key …cdef', 'shop@example.pagerduty.com'],
      ['Orders'],
    ]))

  it('of Grafana OnCall have a key in their path, which is cut', () =>
    expect(oldOf('grafana-oncall')).toEqual([
      ['Grafana', 'https://oncall.example.com/integrations/v1/grafana/…cdef/'],
      ['Mails', 'x@example.com'],
    ]))

  it.each(Object.entries(TOOLS))(
    '%s: each names what the report says that it becomes, and no key is shown whole',
    (tool, { read }) => {
      const { report } = read(filesOf(tool), peopleOf([]), Date.now())
      const becomes = report.flatMap((row) => row.becomes)
      const addresses = TOOLS[tool]?.addresses(filesOf(tool)) ?? []
      expect(addresses.map(({ ref }) => ref).toSorted()).toEqual(becomes.toSorted())
      expect(JSON.stringify(addresses)).not.toContain(KEY)
    },
  )

  it('are a table with tabs, in which no name begins a line', () => {
    const row = { name: 'Shop\n=1+1\tx', ref: 'alert_source:a', old: ['a', 'b'] }
    expect(
      addressTable([
        { ...row, new: 'https://v', why: '' },
        { ...row, new: null, why: 'is not here' },
      ]).split('\n'),
    ).toEqual([
      'name\told address\tnew address\treference',
      'Shop =1+1 x\ta, b\thttps://v\talert_source:a',
      'Shop =1+1 x\ta, b\tis not here\talert_source:a',
    ])
  })
})
