import { expect } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import type { SignedIn } from './signed-in.ts'

const MINUTE = 60_000

/** One of each noun, by the name of its id in the addresses of the dashboard. */
export async function fillOrganization({ backend, organization, owner }: SignedIn): Promise<Record<string, string>> {
  const create = async (path: string, body: object): Promise<string> => {
    const answer = await backend.call('POST', path, { as: owner, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.id
  }
  const server = await backend.server(organization)
  const sample = { at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 12.5 }, memory: { percent: 71.25 } }
  const batch = { batch_id: crypto.randomUUID(), sent_at: sample.at, agent_version: '0.1.0', samples: [sample] }
  await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: batch })
  const monitor = await create('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', tags: ['prod'] })
  const channel = await create('/v1/channels', {
    name: 'Bereitschaft',
    type: 'webhook',
    config: { url: 'https://hooks.example.com/' },
  })
  const window = await create('/v1/maintenance-windows', {
    name: 'Updates',
    target: { type: 'monitor', id: null, tag: null },
    starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString(),
    ends_at: new Date(backend.clock.now() + 120 * MINUTE).toISOString(),
    time_zone: 'Europe/Berlin',
  })
  const { body } = await backend.call('GET', '/v1/alert-rules', { as: owner })
  const rule = body.alert_rules[0].id
  const idIn = async (table: string) =>
    (await backend.pool.pg.query(`select id from ${table} where organization = $1 limit 1`, [organization.number])).rows[0].id
  const incident = await openTestIncident(backend, organization, {
    atMs: backend.clock.now() - 9 * MINUTE,
    ruleId: await idIn('alert_rule'),
    target: { type: 'monitor', id: await idIn('monitor'), name: 'Shop' },
  })
  const statusPage = await create('/v1/status-pages', {
    name: 'Öffentlich',
    slug: 'oeffentlich',
    title: 'Status',
    language: 'de',
    domain: 'status.example.com',
    visibility: 'link',
    sections: [{ name: 'Dienste', monitors: [monitor], names: { [monitor]: 'Laden' } }],
    templates: [{ name: 'Ausfall', title: 'Ausfall', text: 'Wir untersuchen es.' }],
  })
  await create(`/v1/status-pages/${statusPage}/subscribers`, { type: 'webhook', url: 'https://hooks.example.com/status' })
  const post = await create(`/v1/status-pages/${statusPage}/posts`, {
    type: 'incident',
    title: 'Ausfall',
    text: 'Wir untersuchen es.',
    monitors: [monitor],
  })
  const slo = await create('/v1/slos', { name: 'Laden', target: { id: monitor }, objective: 99.9, channel_ids: [channel] })
  const { members } = (await backend.call('GET', `/v1/organizations/${organization.id}/members`, { as: owner })).body
  const layer = { user_ids: [members[0].id], starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString() }
  const schedule = await create('/v1/schedules', { name: 'Nachts', time_zone: 'Europe/Berlin', layers: [layer] })
  const policy = await create('/v1/escalation-policies', { name: 'Laden', steps: [{ schedule_ids: [schedule] }] })
  return {
    serverId: server.id,
    monitorId: monitor,
    incidentId: incident,
    ruleId: rule,
    channelId: channel,
    windowId: window,
    policyId: policy,
    scheduleId: schedule,
    pageId: statusPage,
    postId: post,
    sloId: slo,
  }
}
