import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from './harness.ts'

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  admin = await backend.apiKey(await backend.organization(), 'admin')
})
afterAll(() => backend.close())

type Body = Record<string, unknown>
/** A fault by the path that reports it: what is merged into the body; undefined removes a field. */
type Faults = Record<string, Body>

const MONITOR = { name: 'Shop', url: 'https://shop.example.com/' }
const MONITOR_FAULTS: Faults = {
  name: { name: 5 },
  nmae: { nmae: 'Shop' },
  url: { url: undefined },
  tags: { tags: 'prod' },
  timeout: { timeout: 50, interval: 30 },
  confirmations: { confirmations: 0 },
  'headers.a b': { headers: { 'a b': 'x' } },
  body: { body: 'x' },
  'options.http_version': { options: { http_version: 'nine' } },
  'assertions.0.value': { assertions: [{ type: 'status_code', operator: 'equals', value: 'fine' }] },
}
const CHANNEL = { name: 'Chat', type: 'telegram', config: { bot_token: '123:abc', chat_id: '-42' } }
const CHANNEL_FAULTS: Faults = {
  name: { name: '' },
  enabled: { enabled: 'yes' },
  nmae: { nmae: 'x' },
  'config.chat_id': { config: { chat_id: undefined } },
  'config.url': { config: { url: 'nowhere' } },
  'config.bot_token': { config: { bot_token: 5 } },
}
/** Without its required fields, which a change may leave out. */
const { url: _url, ...STORED_MONITOR_FAULTS } = MONITOR_FAULTS
const STORED_CHANNEL_FAULTS: Faults = { ...CHANNEL_FAULTS, 'config.chat_id': { config: { chat_id: null } } }
const OBJECTIVE = { name: 'Shop', target: { tag: 'shop' }, objective: 99.9 }
const UNKNOWN = { nmae: { nmae: 'x' }, name: { name: 5 } }
const ZONE = { time_zone: { time_zone: 'Europe/Nowhere' } }
const [EARLY, LATE] = ['2026-11-22T01:00:00.000Z', '2026-11-22T03:00:00.000Z']

interface Resource {
  url: string
  body: Body
  faults: Faults
  /** The faults of a change of the stored one. */
  changed?: Faults
}
const RESOURCES: Resource[] = [
  { url: '/v1/monitors', body: MONITOR, faults: MONITOR_FAULTS, changed: { ...STORED_MONITOR_FAULTS, url: { url: 'nowhere' } } },
  { url: '/v1/monitors/test', body: MONITOR, faults: MONITOR_FAULTS },
  { url: '/v1/channels', body: CHANNEL, faults: CHANNEL_FAULTS, changed: STORED_CHANNEL_FAULTS },
  { url: '/v1/channels/test', body: CHANNEL, faults: CHANNEL_FAULTS },
  {
    url: '/v1/alert-rules',
    body: {
      name: 'Slow',
      target: { type: 'monitor' },
      condition: { metric: 'response_ms', operator: 'greater_than', value: 500 },
    },
    faults: {
      ...UNKNOWN,
      severity: { severity: 'loud' },
      'target.tag': { target: { id: 'mon_1', tag: 'shop' } },
      'condition.mount': { condition: { mount: '/' } },
      'condition.name': { condition: { name: 'web' } },
      clear_value: { clear_value: 900 },
      repeat_seconds: { escalation_policy_id: 'esc_1', repeat_seconds: 3_600 },
    },
  },
  {
    url: '/v1/maintenance-windows',
    body: { name: 'Updates', target: { type: 'monitor' }, starts_at: EARLY, ends_at: LATE },
    faults: {
      ...UNKNOWN,
      ...ZONE,
      'target.tag': { target: { id: 'mon_1', tag: 'shop' } },
      starts_at: { starts_at: '2026-02-30T00:00:00.000Z' },
      ends_at: { ends_at: '2026-02-31T00:00:00.000Z' },
    },
  },
  {
    url: '/v1/maintenance-windows',
    body: { name: 'Updates', target: { type: 'server' }, starts_at: EARLY, ends_at: LATE },
    faults: { ...UNKNOWN, ends_at: { ends_at: EARLY }, repeat: { repeat: 'FREQ=WEEKLY;BYMONTH=13' } },
  },
  {
    url: '/v1/schedules',
    body: { name: 'Operators' },
    faults: {
      ...UNKNOWN,
      handover_mail: { handover_mail: 'yes' },
      'layers.0.repeat': { layers: [{ user_ids: ['usr_1'], starts_at: EARLY, repeat: 'FREQ=DAILY;BYMONTH=13' }] },
      'overrides.0.ends_at': { overrides: [{ user_id: 'usr_1', starts_at: LATE, ends_at: EARLY }] },
    },
  },
  {
    url: '/v1/schedules',
    body: { name: 'Operators' },
    faults: { ...ZONE, 'layers.0.starts_at': { layers: [{ user_ids: ['usr_1'], starts_at: '2026-02-30T00:00:00.000Z' }] } },
  },
  {
    url: '/v1/escalation-policies',
    body: { name: 'Nights', steps: [{ user_ids: ['usr_1'] }] },
    faults: { ...UNKNOWN, ...ZONE, 'steps.0': { steps: [{}] }, repeats: { repeats: -1 } },
  },
  {
    url: '/v1/slos',
    body: OBJECTIVE,
    faults: {
      ...UNKNOWN,
      ...ZONE,
      target: { target: { id: 'mon_1' } },
      threshold_ms: { kind: 'latency' },
      channel_ids: { channel_ids: ['chn_1'], escalation_policy_id: 'esc_1' },
    },
  },
  {
    url: '/v1/status-pages',
    body: { name: 'Public', slug: 'public', title: 'Status' },
    faults: {
      ...UNKNOWN,
      ...ZONE,
      accent: { accent: 'red' },
      password: { visibility: 'password' },
      'sections.0': { sections: [{ name: 'Services' }] },
    },
  },
]

const merged = (body: Body, change: Body): Body => {
  const entries = Object.entries(change).map(([name, value]): [string, unknown] => {
    const before = body[name]
    const isNested = typeof before === 'object' && before !== null && typeof value === 'object' && !Array.isArray(value)
    return [name, isNested ? merged(before as Body, value as Body) : value]
  })
  return { ...body, ...Object.fromEntries(entries) }
}

/** Each one, each two, and all together. */
const combinationsOf = (paths: readonly string[]): (readonly string[])[] => [
  ...paths.map((path) => [path]),
  ...paths.flatMap((one, index) => paths.slice(index + 1).map((other) => [one, other])),
  paths,
]

/** The combinations that are not answered with exactly their faults. */
async function missedOf(method: 'POST' | 'PATCH', url: string, body: Body, faults: Faults): Promise<unknown[]> {
  const missed: unknown[] = []
  for (const wrong of combinationsOf(Object.keys(faults))) {
    const sent = wrong.reduce((sum, path) => merged(sum, faults[path] as Body), body)
    const answer = await backend.call(method, url, { as: admin, body: sent })
    const details = (answer.body.error?.details ?? []) as { path: string }[]
    const found = details.map(({ path }) => path).toSorted()
    if (answer.status !== 400 || JSON.stringify(found) !== JSON.stringify(wrong.toSorted())) missed.push({ wrong, found })
  }
  return missed
}

describe('a body is refused with each fault alone, with each two, and with all together', () => {
  it.each(RESOURCES)('that of POST $url', async ({ url, body, faults }) => {
    expect(await missedOf('POST', url, body, faults)).toEqual([])
  })

  it.each(RESOURCES.filter(({ changed }) => changed))('that of PATCH $url/:id', async ({ url, body, changed = {} }) => {
    const created = await backend.call('POST', url, { as: admin, body })
    expect(created.status).toBe(201)
    expect(await missedOf('PATCH', `${url}/${created.body.id}`, {}, changed)).toEqual([])
  })
})
