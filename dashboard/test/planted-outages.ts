import { openTestIncident } from '../../backend/test/incident.ts'
import { asOwner } from './editors/editor.ts'
import type { SignedIn } from './signed-in.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
/** Days ago, the minute of the day in UTC, and for how many minutes. */
const OUTAGES = [
  [4, 720, 5],
  [3, 120, 40],
  [2, 800, 2],
] as const

/** Ids of what a replay changes. */
export interface PlantedOutages {
  ruleId: string
  /** Of the rule of a figure. */
  cpuId: string
  policyId: string
}

/**
 * Three outages of a shop, of which one is at night and lasts; the owner is notified first, after ten minutes a channel. An incident of a
 * rule on the CPU of a server.
 */
export async function plantOutages(scene: Pick<SignedIn, 'backend' | 'organization' | 'owner'>): Promise<PlantedOutages> {
  const { backend, organization, owner } = scene
  const { pg } = backend.pool
  const api = asOwner(scene)
  for (const { id } of (await api.read('/v1/alert-rules?limit=100')).alert_rules)
    await backend.call('DELETE', `/v1/alert-rules/${id}`, { as: owner })
  const hook = await api.make('/v1/channels', {
    name: 'Team chat',
    type: 'webhook',
    config: { url: 'https://hooks.example.com/' },
  })
  await api.make('/v1/contact-methods', { type: 'ntfy', config: { url: 'http://127.0.0.1:9', topic: 'ada' } })
  const { id: userId } = await api.read('/v1/me')
  const steps = [{ user_ids: [userId], wait_seconds: 600 }, { channel_ids: [hook.id] }]
  const policy = await api.make('/v1/escalation-policies', { name: 'Shop on call', steps })
  const shop = await api.make('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/' })
  const down = { metric: 'status', operator: 'equals', value: 'down' }
  const rule = { name: 'Shop is down', target: { type: 'monitor', id: shop.id }, severity: 'warning' }
  const ruleId = (await api.make('/v1/alert-rules', { ...rule, condition: down, escalation_policy_id: policy.id })).id
  const cpu = { metric: 'cpu.percent', operator: 'greater_than', value: 90 }
  const cpuId = (await api.make('/v1/alert-rules', { name: 'CPU', target: { type: 'server' }, condition: cpu })).id
  const { rows } = await pg.query('select number from monitor')
  const today = Math.floor(backend.clock.now() / DAY) * DAY
  await pg.query('update monitor set created_at = $1', [new Date(today - 60 * DAY)])
  for (const [days, minute, length] of OUTAGES) {
    const startMs = today - days * DAY + minute * MINUTE
    for (const [atMs, before, after] of [
      [startMs, 'up', 'down'],
      [startMs + length * MINUTE, 'down', 'up'],
    ] as const)
      await pg.query(
        `insert into monitor_transition (organization, id, monitor, at, from_status, to_status, reason)
          values ($1, gen_random_uuid(), $2, $3, $4, $5, '')`,
        [organization.number, rows[0].number, new Date(atMs), before, after],
      )
  }
  await backend.server(organization)
  const idIn = async (statement: string) => (await pg.query(statement)).rows[0].id
  await openTestIncident(backend, organization, {
    atMs: today - DAY,
    ruleId: await idIn("select id from alert_rule where name = 'CPU'"),
    target: { type: 'server', id: await idIn('select id from server'), name: 'web-1' },
  })
  // The clock of the page goes on, that of the backend does not.
  backend.clock.advance(60 * MINUTE)
  return { ruleId, cpuId, policyId: policy.id }
}
