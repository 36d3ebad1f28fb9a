import { randomUUID } from 'node:crypto'
import { silentLog } from '../../../platform/logging/log.ts'
import { parseId } from '../../../platform/ids.ts'
import { evaluateSlos } from '../../../monitoring/slos/index.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { watch } from '../../../../test/watched-monitor.ts'
import { sessionBy, signIn } from '../../../../test/provider-sign-in.ts'
import { CLIENT, type FakeProvider } from '../../../../test/identity-provider.ts'
import type { Receiver } from '../../../../test/receiver.ts'
import type { Credentials, TestBackend, TestOrganization } from '../../../../test/harness.ts'

export interface Scene {
  backend: TestBackend
  organization: TestOrganization
  owner: Credentials & { userId: string; id: string }
  receiver: Receiver
  provider: FakeProvider
}

/** One resource, and all that shows that it is there. */
export interface Sample {
  id: string
  /** What it does: `here` while it is there, `gone` while it is deleted. */
  acts(): Promise<unknown>
  here: unknown
  gone: unknown
  /** Answers of others that name it. */
  others?: string[]
  /** What hangs on it and must be there again. */
  history?: string
}

export interface Kind {
  path: string
  /** Of its events in the audit log, and its table. */
  noun: string
  make(scene: Scene): Promise<Sample>
}

const callOf =
  ({ backend, owner }: Scene) =>
  async (method: string, url: string, body?: object) => {
    const answer = await backend.call(method, url, { as: owner, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

const DOWN = { metric: 'status', operator: 'equals', value: 'down' }
const uuidOf = (kind: Parameters<typeof parseId>[0], id: string) => parseId(kind, id) as string

async function alertRule(scene: Scene): Promise<Sample> {
  const { backend } = scene
  const call = callOf(scene)
  const monitor = await watch(backend, scene.owner)
  const { id: channel } = await call('POST', '/v1/channels', {
    name: 'hook',
    type: 'webhook',
    config: { url: scene.receiver.url },
  })
  const target = { type: 'monitor', id: monitor.id }
  const { id } = await call('POST', '/v1/alert-rules', { name: 'Shop', target, condition: DOWN, channel_ids: [channel] })
  const count = async () =>
    (await backend.pool.db.selectFrom('incident').select('id').where('rule_id', '=', uuidOf('alertRule', id)).execute()).length
  return {
    id,
    acts: async () => {
      const before = await count()
      for (const status of ['down', 'up'] as const) {
        await monitor.goes(status)
        await backend.jobs.evaluateSignals()
      }
      return (await count()) - before
    },
    here: 1,
    gone: 0,
    others: [],
    history: `select count(*) from incident_event where incident_id in (select id from incident where rule_id = '${uuidOf('alertRule', id)}')`,
  }
}

async function channel(scene: Scene): Promise<Sample> {
  const { backend, receiver, owner } = scene
  const call = callOf(scene)
  const make = async (name: string): Promise<string> =>
    (await call('POST', '/v1/channels', { name, type: 'webhook', config: { url: `${receiver.url}/${name}` } })).id
  const [first, id, last] = [await make('first'), await make('own'), await make('last')]
  const channel_ids = [first, id, last]
  const target = { type: 'monitor', tag: 'none' }
  const { id: rule } = await call('POST', '/v1/alert-rules', { name: 'Shop', target, condition: DOWN, channel_ids })
  const slo = { name: 'Shop', objective: 99, target: { tag: 'none' }, channel_ids }
  const { id: objective } = await call('POST', '/v1/slos', slo)
  const steps = [{ channel_ids }, { user_ids: [owner.id] }, { channel_ids: [id] }]
  const { id: policy } = await call('POST', '/v1/escalation-policies', { name: 'Shop', steps })
  return {
    id,
    acts: async () => {
      receiver.received.length = 0
      await openTestIncident(backend, scene.organization, { ruleId: uuidOf('alertRule', rule) })
      await backend.jobs.startDeliveries()
      await backend.jobs.idle()
      return receiver.received.flatMap(({ path }) => (path === '/' ? [] : path)).sort()
    },
    here: ['/first', '/last', '/own'],
    gone: ['/first', '/last'],
    others: [`/v1/alert-rules/${rule}`, `/v1/slos/${objective}`, `/v1/escalation-policies/${policy}`],
  }
}

async function maintenanceWindow(scene: Scene): Promise<Sample> {
  const { backend } = scene
  const call = callOf(scene)
  const monitor = await watch(backend, scene.owner)
  const target = { type: 'monitor', id: monitor.id }
  const at = (ms: number) => new Date(backend.clock.now() + ms).toISOString()
  const times = { starts_at: at(-60_000), ends_at: at(10 * 86_400_000) }
  const { id } = await call('POST', '/v1/maintenance-windows', { name: 'Updates', target, ...times })
  await call('POST', '/v1/alert-rules', { name: 'Shop', target, condition: DOWN })
  return {
    id,
    acts: async () => {
      await monitor.goes('down')
      await backend.jobs.evaluateSignals()
      const incidents = backend.pool.db.selectFrom('incident').select('silenced').where('target_id', '=', monitor.uuid)
      const [last] = await incidents.orderBy('at', 'desc').limit(1).execute()
      await monitor.goes('up')
      await backend.jobs.evaluateSignals()
      return last?.silenced
    },
    here: true,
    gone: false,
  }
}

async function statusPage(scene: Scene): Promise<Sample> {
  const { backend, receiver } = scene
  const call = callOf(scene)
  const slug = `page-${randomUUID()}`
  const { id } = await call('POST', '/v1/status-pages', { name: 'Shop', slug, title: 'Shop', published: true })
  await call('POST', `/v1/status-pages/${id}/subscribers`, { type: 'webhook', url: `${receiver.url}/subscriber` })
  const starts_at = new Date(backend.clock.now() + 40 * 86_400_000).toISOString()
  const ends_at = new Date(backend.clock.now() + 41 * 86_400_000).toISOString()
  const post = { type: 'maintenance', title: 'Move', text: 'We move.', starts_at, ends_at }
  const { id: postId } = await call('POST', `/v1/status-pages/${id}/posts`, post)
  const uuid = uuidOf('statusPage', id)
  return {
    id,
    acts: async () => {
      backend.clock.advance(5_000)
      await backend.vedette.copies.run()
      const statuses = async (...paths: string[]) =>
        Promise.all(paths.map(async (path) => (await backend.call('GET', path, { as: scene.owner })).status))
      const of = `/v1/status-pages/${id}`
      return statuses(`/status/${slug}`, `/status/${slug}/feed.atom`, `${of}/posts`, `${of}/posts/${postId}`, `${of}/subscribers`)
    },
    here: [200, 200, 200, 200, 200],
    gone: [404, 404, 404, 404, 404],
    others: [`/v1/status-pages/${id}/posts`, `/v1/status-pages/${id}/posts/${postId}`, `/v1/status-pages/${id}/subscribers`],
    history: `select (select count(*) from status_subscriber where page_id = '${uuid}') + (select count(*) from status_post where page_id = '${uuid}') as count`,
  }
}

async function schedule(scene: Scene): Promise<Sample> {
  const { backend, owner } = scene
  const call = callOf(scene)
  const layers = [{ user_ids: [owner.id], starts_at: '2020-01-06T08:00:00.000Z', repeat: 'FREQ=WEEKLY', restrictions: [] }]
  const { id } = await call('POST', '/v1/schedules', { name: 'Night', layers })
  const { calendar_url: url } = await call('POST', `/v1/schedules/${id}/calendar`)
  const steps = [{ schedule_ids: [id] }, { user_ids: [owner.id] }]
  const { id: policy } = await call('POST', '/v1/escalation-policies', { name: 'Night', steps })
  const calendar = new URL(url).pathname
  return {
    id,
    acts: async () => [
      (await backend.call('GET', calendar)).status,
      (await backend.call('GET', `/v1/schedules/${id}/on-call`, { as: owner })).status,
      (await call('GET', `/v1/escalation-policies/${policy}`)).steps[0].schedule_ids,
    ],
    here: [200, 200, [id]],
    gone: [404, 404, []],
    others: [`/v1/escalation-policies/${policy}`],
  }
}

async function escalationPolicy(scene: Scene): Promise<Sample> {
  const { backend, organization, owner } = scene
  const call = callOf(scene)
  const monitor = await watch(backend, owner, { tags: ['escalated'] })
  const steps = [{ user_ids: [owner.id] }]
  const { id } = await call('POST', '/v1/escalation-policies', { name: 'Shop', steps, tags: ['escalated'] })
  return {
    id,
    acts: async () => {
      const incident = await openTestIncident(backend, organization, {
        target: { type: 'monitor', id: monitor.uuid, name: 'Shop' },
      })
      const stored = backend.pool.db.selectFrom('incident').select('escalation_policy_id')
      const row = await stored.where('id', '=', uuidOf('incident', incident)).executeTakeFirstOrThrow()
      await call('POST', `/v1/incidents/${incident}/resolve`, {})
      return row.escalation_policy_id
    },
    here: uuidOf('escalationPolicy', id),
    gone: null,
    others: [],
  }
}

async function slo(scene: Scene): Promise<Sample> {
  const { backend, organization } = scene
  const call = callOf(scene)
  const [monitor, region] = [await seedMonitor(backend, organization), await seedRegion(backend, `r-${randomUUID()}`)]
  const { id } = await call('POST', '/v1/slos', { name: 'Shop', objective: 99.9, target: { id: monitor.id } })
  const open = async () => {
    const rows = backend.pool.db.selectFrom('incident').select('id').where('target_id', '=', uuidOf('slo', id))
    return (await rows.where('status', '=', 'open').execute()).length > 0
  }
  return {
    id,
    acts: async () => {
      const now = backend.clock.now()
      const checks = Array.from({ length: 120 }, (_, number) => ({
        region,
        atMs: now - number * 30_000,
        outcome: 2,
        responseUs: null,
      }))
      await seedChecks(backend, organization, monitor.number, checks.toReversed())
      await evaluateSlos({ db: backend.pool.db, clock: backend.clock, log: silentLog })
      const isOpen = await open()
      backend.clock.advance(3_600_000)
      return isOpen
    },
    here: true,
    gone: false,
    history: `select count(*) from alert_rule where deleted_at is null and target_id = '${uuidOf('slo', id)}'`,
  }
}

async function identityProvider(scene: Scene): Promise<Sample> {
  const { backend, provider } = scene
  const call = callOf(scene)
  const body = { name: 'Example', issuer: provider.issuer, ...CLIENT, email_domains: ['example.com'], creates_accounts: true }
  const { id } = await call('POST', '/v1/identity-providers', body)
  const users = new Set<string>()
  let session: Credentials = {}
  const uuid = uuidOf('identityProvider', id)
  return {
    id,
    acts: async () => {
      const began = await backend.call('GET', `/v1/auth/oidc/${id}/start`)
      const kept = session.authorization ? (await backend.call('GET', '/v1/auth/me', { as: session })).status : 401
      if (began.status === 302) {
        session = await sessionBy(backend, await signIn(backend, id, provider))
        users.add((await backend.call('GET', '/v1/auth/me', { as: session })).body.id)
      }
      return [began.status === 302, kept, users.size]
    },
    here: [true, 401, 1],
    gone: [false, 401, 1],
    history: `select count(*) from user_identity where identity_provider = '${uuid}'`,
  }
}

export const KINDS: readonly Kind[] = [
  { path: '/v1/alert-rules', noun: 'alert_rule', make: alertRule },
  { path: '/v1/channels', noun: 'channel', make: channel },
  { path: '/v1/maintenance-windows', noun: 'maintenance_window', make: maintenanceWindow },
  { path: '/v1/status-pages', noun: 'status_page', make: statusPage },
  { path: '/v1/schedules', noun: 'schedule', make: schedule },
  { path: '/v1/escalation-policies', noun: 'escalation_policy', make: escalationPolicy },
  { path: '/v1/slos', noun: 'slo', make: slo },
  { path: '/v1/identity-providers', noun: 'identity_provider', make: identityProvider },
]
