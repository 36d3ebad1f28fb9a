import { expect } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import type { SignedIn } from './signed-in.ts'

const MINUTE = 60_000
const BY_HAND = { type: 'composite', options: { manual_status: 'up' } }

/**
 * One of each noun, by the name of its id in the addresses of the dashboard. `rename` makes the names that people type, and tags of
 * at most 64 characters.
 */
export async function fillOrganization(
  { backend, organization, owner }: Pick<SignedIn, 'backend' | 'organization' | 'owner'>,
  rename: (name: string, maxLength?: number) => string = (name) => name,
  slug = 'oeffentlich',
): Promise<Record<string, string>> {
  const create = async (path: string, body: object): Promise<string> => {
    const answer = await backend.call('POST', path, { as: owner, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.id
  }
  const server = await backend.server(organization)
  const isRenamed = rename('web-1') !== 'web-1'
  if (isRenamed) {
    const body = { display_name: rename('web-1'), tags: [rename('prod', 64)] }
    expect((await backend.call('PATCH', `/v1/servers/${server.id}`, { as: owner, body })).status).toBe(200)
  }
  const sample = { at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 12.5 }, memory: { percent: 71.25 } }
  const batch = { batch_id: crypto.randomUUID(), sent_at: sample.at, agent_version: '0.1.0', samples: [sample] }
  const own = isRenamed ? partsOf(rename) : {}
  const pushed = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: { ...batch, ...own } })
  expect(pushed.status, JSON.stringify(pushed.body)).toBe(202)
  const monitor = await create('/v1/monitors', {
    name: rename('Shop'),
    url: 'https://shop.example.com/',
    tags: [rename('prod', 64)],
  })
  const group = await create('/v1/monitors', {
    name: rename('Kasse'),
    type: 'composite',
    options: {
      members: [
        { type: 'monitor', id: await create('/v1/monitors', { ...BY_HAND, name: rename('Lieferant') }), required: true },
        { type: 'monitor', id: monitor, weight: 3 },
        { type: 'server', tag: rename('prod', 64) },
        { type: 'entity', server_id: server.id, kind: 'container', name: rename('web') },
      ],
      down_when: { any_required_down: true },
      degraded_when: { any_required_down: true },
    },
  })
  const composite = await create('/v1/monitors', {
    name: rename('Laden'),
    type: 'composite',
    options: { members: [{ type: 'monitor', id: group }], down_when: { down_at_least: 1 } },
  })
  const channel = await create('/v1/channels', {
    name: rename('Bereitschaft'),
    type: 'webhook',
    config: { url: 'https://hooks.example.com/' },
  })
  const window = await create('/v1/maintenance-windows', {
    name: rename('Updates'),
    target: { type: 'monitor', id: null, tag: null },
    starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString(),
    ends_at: new Date(backend.clock.now() + 120 * MINUTE).toISOString(),
    time_zone: 'Europe/Berlin',
  })
  const { body } = await backend.call('GET', '/v1/alert-rules', { as: owner })
  const rule = body.alert_rules[0].id
  const idIn = async (table: string) =>
    (
      await backend.pool.pg.query(`select id from ${table} where organization = $1 order by created_at desc, id desc limit 1`, [
        organization.number,
      ])
    ).rows[0].id
  const incident = await openTestIncident(backend, organization, {
    summary: `${rename('Shop')} is down`,
    atMs: backend.clock.now() - 9 * MINUTE,
    ruleId: await idIn('alert_rule'),
    target: { type: 'monitor', id: await idIn('monitor'), name: rename('Shop') },
  })
  const statusPage = await create('/v1/status-pages', {
    name: rename('Öffentlich'),
    slug,
    title: rename('Status'),
    language: 'de',
    domain: `${slug}.example.com`,
    visibility: 'link',
    sections: [{ name: rename('Dienste'), monitors: [monitor], names: { [monitor]: rename('Laden') } }],
    templates: [{ name: rename('Ausfall'), title: rename('Ausfall'), text: 'Wir untersuchen es.' }],
  })
  await create(`/v1/status-pages/${statusPage}/subscribers`, { type: 'webhook', url: 'https://hooks.example.com/status' })
  const post = await create(`/v1/status-pages/${statusPage}/posts`, {
    type: 'incident',
    title: rename('Ausfall'),
    text: 'Wir untersuchen es.',
    monitors: [monitor],
  })
  const source = await create('/v1/alert-sources', {
    name: rename('Prometheus'),
    type: 'generic',
    tag_labels: [rename('team', 60)],
  })
  const slo = await create('/v1/slos', {
    name: rename('Laden'),
    target: { id: monitor },
    objective: 99.9,
    channel_ids: [channel],
  })
  const certificate = await create('/v1/certificates', { name: rename('Codesignatur'), not_after: '2030-03-31T23:59:59.000Z' })
  const { members } = (await backend.call('GET', `/v1/organizations/${organization.id}/members`, { as: owner })).body
  const layer = { user_ids: [members[0].id], starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString() }
  const schedule = await create('/v1/schedules', { name: rename('Nachts'), time_zone: 'Europe/Berlin', layers: [layer] })
  const policy = await create('/v1/escalation-policies', { name: rename('Laden'), steps: [{ schedule_ids: [schedule] }] })
  const change = await create('/v1/change-sets', {
    owner: 'git:infra',
    resources: [
      {
        kind: 'slo',
        ref: `${slug}/shop`,
        spec: { name: rename('Laden'), target: { id: monitor }, objective: 99.5, channel_ids: [channel] },
        source: { file: 'slos/shop.yaml', line: 12 },
      },
    ],
  })
  expect((await backend.call('POST', `/v1/change-sets/${change}/apply`, { as: owner })).status).toBe(200)
  // What differs from its files since.
  expect((await backend.call('PATCH', `/v1/slos/${slo}`, { as: owner, body: { objective: 99 } })).status).toBe(200)
  return {
    serverId: server.id,
    monitorId: monitor,
    compositeId: composite,
    incidentId: incident,
    ruleId: rule,
    channelId: channel,
    windowId: window,
    policyId: policy,
    scheduleId: schedule,
    pageId: statusPage,
    postId: post,
    sloId: slo,
    certificateId: certificate,
    sourceId: source,
    changeId: change,
  }
}

/** What is on a host, with such names. */
const partsOf = (rename: (name: string, maxLength?: number) => string) => ({
  filesystems: [{ mount: `/${rename('data')}`, fs_type: 'ext4', total_bytes: 100e9, used_bytes: 30e9, percent: 30 }],
  processes: [{ pid: 1, name: rename('systemd', 64), cpu_percent: 0.1, memory_bytes: 12_000_000 }],
  entities: [
    { kind: 'container', name: rename('web'), values: { cpu_percent: 5, running: 1 }, attributes: { image: rename('image') } },
    { kind: 'unit', name: rename('backup'), values: { running: 0, failed: 1 }, attributes: { state: 'failed' } },
    { kind: 'sensor', name: rename('fan'), values: { fan_rpm: 1_240 } },
    { kind: 'disk', name: rename('nvme0n1'), values: { healthy: 1, used_percent: 3 }, attributes: { model: rename('model') } },
  ],
})
