import { decodeId, parseId } from '../../src/platform/ids.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../harness.ts'
import { LOCAL_TARGETS } from '../alert-fixture.ts'

/** What every run begins with. Made once by the routes, and stored again before each run. */
export interface Scene {
  backend: TestBackend
  organization: TestOrganization
  tenant: { number: number; id: string }
  ownerId: string
  servers: { uuid: string; number: number; token: string }[]
  probes: { region: string; token: string }[]
  monitors: { uuid: string; number: number; regions: string[]; confirmations: number }[]
  heartbeat: { uuid: string; number: number; token: string; periodMs: number }
  channels: { uuid: string; url: string }[]
  policy: { uuid: string; steps: number; repeats: number; waitMs: number; reopenMs: number }
  rules: { monitorDown: string; cpu: string; offline: string; slow: string }
}

export const ENVIRONMENT = {
  ...LOCAL_TARGETS,
  VEDETTE_SAMPLE_INTERVAL_SECONDS: '5',
  VEDETTE_PUSH_INTERVAL_SECONDS: '10',
}

/** The steps of the policy wait for that long for each other, s: the least that may be. */
const WAIT_SECONDS = 60
/** What is acknowledged opens again after that time, s: longer than the leap after which a step that was not ended would be taken. */
const REOPEN_SECONDS = 3_600
const PERIOD_SECONDS = 60

export async function makeScene(): Promise<Scene> {
  const backend = await startTestBackend({ environment: ENVIRONMENT })
  const organization = await backend.organization()
  const { userId, ...as } = await backend.member(organization, 'owner')
  const call = callAs(backend, as)
  for (const { id } of (await call('GET', '/v1/alert-rules?limit=100')).alert_rules) await call('DELETE', `/v1/alert-rules/${id}`)

  const channels: Scene['channels'] = []
  const channelIds: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const url = `http://127.0.0.1/${name}`
    const { id } = await call('POST', '/v1/channels', { name, type: 'webhook', config: { url } })
    channelIds.push(id)
    channels.push({ uuid: decodeId('channel', id), url })
  }
  const [one, two, three] = channelIds
  const steps = [{ channel_ids: [one] }, { channel_ids: [two] }, { channel_ids: [one, three] }]
  const waiting = steps.map((step) => ({ ...step, wait_seconds: WAIT_SECONDS }))
  const policy = await call('POST', '/v1/escalation-policies', {
    name: 'shop',
    steps: waiting,
    repeats: 1,
    reopen_seconds: REOPEN_SECONDS,
  })
  const rule = async (type: string, condition: object, more: object) =>
    decodeId('alertRule', (await call('POST', '/v1/alert-rules', { name: 'rule', target: { type }, condition, ...more })).id)
  const rules = {
    monitorDown: await rule('monitor', is('down'), { escalation_policy_id: policy.id }),
    slow: await rule('monitor', is('down'), { for_seconds: 60, channel_ids: [two], repeat_seconds: 60 }),
    cpu: await rule('server', { metric: 'cpu.percent', operator: 'greater_than', value: 90 }, { channel_ids: [two, three] }),
    offline: await rule('server', is('offline'), { channel_ids: [three] }),
  }

  const probes: Scene['probes'] = []
  for (const region of ['north', 'south']) probes.push({ region, token: (await backend.probe(region))['x-api-key'] })
  const monitors: Scene['monitors'] = []
  const numberOf = async (id: string) =>
    (await backend.pool.db.selectFrom('monitor').select('number').where('id', '=', id).executeTakeFirstOrThrow()).number
  for (const [regions, confirmations] of [
    [['north'], 1],
    [['north', 'south'], 2],
  ] as const) {
    const definition = { name: 'Shop', url: 'http://127.0.0.1/', interval: 30, regions, confirmations }
    const { id } = await call('POST', '/v1/monitors', definition)
    const uuid = decodeId('monitor', id)
    monitors.push({ uuid, number: await numberOf(uuid), regions: [...regions], confirmations })
  }
  const schedule = { period_seconds: PERIOD_SECONDS, grace_seconds: 60 }
  const job = await call('POST', '/v1/monitors', { name: 'job', type: 'heartbeat', url: 'heartbeat://', options: { schedule } })
  const uuid = decodeId('monitor', job.id)
  const token = new URL(job.ping_url).pathname.split('/').at(-1) as string
  const heartbeat = { uuid, number: await numberOf(uuid), token, periodMs: PERIOD_SECONDS * 1_000 }

  const servers: Scene['servers'] = []
  for (const machine of ['web', 'shop']) {
    const { id, as: own } = await backend.server(organization, machine)
    const server = parseId('server', id) as string
    const found = await backend.pool.db.selectFrom('server').select('number').where('id', '=', server).executeTakeFirstOrThrow()
    servers.push({ uuid: server, number: found.number, token: (own as { 'x-api-key': string })['x-api-key'] })
  }
  return {
    backend,
    organization,
    tenant: { number: organization.number, id: decodeId('organization', organization.id) },
    ownerId: userId,
    servers,
    probes,
    monitors,
    heartbeat,
    channels,
    policy: {
      uuid: decodeId('escalationPolicy', policy.id),
      steps: steps.length,
      repeats: 1,
      waitMs: WAIT_SECONDS * 1_000,
      reopenMs: REOPEN_SECONDS * 1_000,
    },
    rules,
  }
}

const is = (value: string) => ({ metric: 'status', operator: 'equals', value })

const callAs = (backend: TestBackend, as: Credentials) => async (method: string, url: string, body?: unknown) => {
  const answer = await backend.call(method, url, { as, body })
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
