import { Liquid } from 'liquidjs'
import { describe, expect, it } from 'vitest'
import { readRoutes } from '../grafana-oncall/routes.ts'
import { readGrafanaOnCall } from '../grafana-oncall/read.ts'
import { newNotes, peopleOf } from '../model.ts'
import { addressesOfSplunk, readRoutingKeys } from '../splunk-oncall/routing-keys.ts'

const chains = new Map([
  ['C1', 'chain-1'],
  ['C2', 'chain-2'],
])
function read(...routes: object[]) {
  const notes = newNotes()
  const all = routes.map((route, position) => ({ escalation_chain_id: 'C1', position, ...route }))
  return { ...readRoutes(all, chains, notes), ...notes }
}
const jinja = (term: string) => ({ routing_type: 'jinja2', routing_regex: `{{ ${term} }}` })
const regex = (term: string) => ({ routing_type: 'regex', routing_regex: term })

describe('routes of Grafana OnCall', () => {
  it.each<[string, Record<string, string>]>([
    ['payload.labels.team == "shop"', { team: 'shop' }],
    [`payload.labels["team"] == 'shop'`, { team: 'shop' }],
    [`payload["labels"]["host.name"] == "a b"`, { 'host.name': 'a b' }],
    ['payload.labels.get("team") == "shop" and payload.labels.env == "prod"', { team: 'shop', env: 'prod' }],
  ])('that compare labels of the alert are equal: %s', (term, labels) => {
    expect(read(jinja(term))).toMatchObject({ routes: [{ labels, policy: 'chain-1' }], changes: [], losses: [] })
  })

  it.each<[string, object, RegExp]>([
    ['of a group', jinja('payload.commonLabels.team == "shop"'), /compared what a group of alerts has/],
    ['of its first alert', jinja('payload.alerts[0].labels.team == "shop"'), /compared what a group of alerts has/],
    ['of a text', regex('"team": "shop"'), /found anywhere in the message/],
    [
      'of the integration',
      { routing_type: 'labels', labels: [{ key: 'team', value: 'shop' }] },
      /labels that its integration added/,
    ],
  ])('that compare labels %s come, and say what differs', (_name, route, change) => {
    const { routes, changes, losses } = read(route)
    expect([routes, losses]).toEqual([[{ labels: { team: 'shop' }, policy: 'chain-1' }], []])
    expect(changes).toEqual([expect.stringMatching(change)])
  })

  it.each([
    jinja('payload.labels.team == "shop" or payload.labels.team == "mail"'),
    jinja('"shop" in payload.title'),
    jinja('payload.labels.team != "shop"'),
    jinja('payload.labels.a == "1" and payload.labels.a == "2"'),
    { routing_type: 'jinja2', routing_regex: '{% if true %}true{% endif %}' },
    regex('"team": "(shop|mail)"'),
    regex(''),
    { routing_type: 'labels', labels: [] },
    { routing_type: 'moon', routing_regex: 'x' },
  ])('that say more than labels are named, and do not come: %j', (route) => {
    expect(read(route)).toMatchObject({
      routes: [],
      changes: [],
      losses: [expect.stringMatching(/^route 1 \(.+\) does not come/)],
    })
  })

  it('are in their order; what takes all alerts ends them', () => {
    const second = { ...jinja('payload.labels.team == "mail"'), escalation_chain_id: 'C2', position: -1 }
    const found = read(jinja('payload.labels.team == "shop"'), second, { ...regex('.*'), escalation_chain_id: 'C2' }, regex('x'))
    expect(found).toMatchObject({
      routes: [{ policy: 'chain-2' }, { policy: 'chain-1' }],
      all: 'chain-2',
      losses: [],
      remarks: ['route 3 (regex ".*") takes all alerts: those after it never counted'],
    })
  })

  it('are those of the alert source', () => {
    const files = new Map<string, unknown>([
      ['users.json', [{ id: 'U1', email: 'ada@example.com' }]],
      ['escalation_chains.json', [{ id: 'C1', name: 'Shop' }]],
      ['escalation_policies.json', [{ escalation_chain_id: 'C1', type: 'notify_persons', persons_to_notify: ['U1'] }]],
      ['integrations.json', [{ id: 'I1', name: 'Prometheus', type: 'alertmanager', default_route: { id: 'R9' } }]],
      [
        'routes.json',
        [
          { id: 'R1', integration_id: 'I1', escalation_chain_id: 'C1', position: 0, ...jinja('payload.labels.team == "shop"') },
          { id: 'R9', integration_id: 'I1', position: 1, is_the_last_route: true },
        ],
      ],
    ])
    const people = peopleOf([{ id: 'usr_ada', email: 'ada@example.com' }])
    const { resources, report } = readGrafanaOnCall(files, people, 0)
    expect(resources.find(({ kind }) => kind === 'alert_source')?.spec).toEqual({
      name: 'Prometheus',
      type: 'alertmanager',
      routes: [
        { labels: { team: 'shop' }, escalation_policy_id: { ref: 'escalation_policy:grafana-oncall/escalation_chains/C1' } },
      ],
    })
    expect(report.find(({ source }) => source.id === 'I1')?.fidelity).toBe('changed')
  })

  it('are read in linear time', () => {
    const started = performance.now()
    for (const term of [`{{${' '.repeat(100_000)}`, `{{ ${'payload.labels.a == "b" and '.repeat(5_000)} }}`, '"'.repeat(100_000)])
      read({ routing_type: 'jinja2', routing_regex: term }, regex(term))
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('routing keys of Splunk On-Call', () => {
  const files = new Map<string, unknown>([
    [
      'routing-keys.json',
      {
        routingKeys: [
          { routingKey: 'shop', targets: [{ policySlug: 'pol-1', policyName: 'Shop' }] },
          {
            routingKey: 'all',
            targets: [{ policySlug: 'pol-1' }, { policySlug: 'pol-2' }, { policySlug: 'gone', policyName: 'Gone' }],
          },
          { routingKey: 'none', targets: [] },
        ],
      },
    ],
  ])
  const { resources, report } = readRoutingKeys(
    files,
    new Map([
      ['pol-1', 'p1'],
      ['pol-2', 'p2'],
    ]),
  )

  it('are alert sources with the policy of the key, and name what is missing', () => {
    expect(resources.map(({ spec }) => [spec['name'], spec['type'], spec['escalation_policy_id']])).toEqual([
      ['shop', 'generic', { ref: 'escalation_policy:p1' }],
      ['all', 'generic', { ref: 'escalation_policy:p1' }],
      ['none', 'generic', undefined],
    ])
    expect(report.map(({ fidelity, changes }) => [fidelity, changes.slice(0, -1)])).toEqual([
      ['changed', []],
      ['partly', ['the policy Gone does not come', 'it has 2 policies, which are all followed there; the first one is here']],
      ['changed', ['it names no policy that comes: choose one']],
    ])
    expect(addressesOfSplunk(files)[0]).toEqual({
      name: 'shop',
      ref: 'alert_source:splunk-oncall/routing-keys/shop',
      old: ['https://alert.victorops.com/integrations/generic/20131114/alert/…/shop'],
    })
  })

  it.each([
    [{ message_type: 'CRITICAL', entity_id: 'disk' }, ['disk', 'disk', 'critical', 'firing']],
    [{ message_type: 'recovery', entity_id: 'disk', entity_display_name: 'Disk' }, ['disk', 'Disk', 'recovery', 'resolved']],
    [{ message_type: 'ACKNOWLEDGEMENT', entity_id: 'disk' }, ['disk', 'disk', 'acknowledgement', 'acknowledged']],
  ])('read the messages of the REST endpoint: %j', async (body, wanted) => {
    const template = resources[0]?.spec['template'] as Record<string, string>
    const liquid = new Liquid()
    const said = await Promise.all(
      ['key', 'title', 'severity', 'status'].map((name) => liquid.parseAndRender(template[name] ?? '', { body })),
    )
    expect(said).toEqual(wanted)
  })
})
