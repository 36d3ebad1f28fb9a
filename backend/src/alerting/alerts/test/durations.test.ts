import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { parseId } from '../../../platform/ids.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  const organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})
afterAll(() => backend.close())

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const down = { metric: 'status', operator: 'equals', value: 'down' }
const ruleOf = (target: object, own: object = {}) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'monitor', ...target }, condition: down, ...own })
const watched = (own: object = {}) => watch(backend, admin, own)
const statusesOf = async (uuid: string) => (await incidentsOf(backend, uuid)).map(({ status }) => status)
const evaluate = () => backend.jobs.evaluateSignals()
const evaluateChecks = () => backend.jobs.evaluateChecks()
const seconds = (count: number) => backend.clock.advance(count * 1000)

describe('a rule with a duration', () => {
  it('opens once its monitor has been down for the duration, and records since when [ALERT-06]', async () => {
    const { id, uuid, goes } = await watched()
    await ruleOf({ id }, { for_seconds: 30 })
    await goes('down')
    const downAt = backend.clock.now()
    await evaluate()
    seconds(29)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual([])
    seconds(1)
    await evaluate()
    const [incident] = await incidentsOf(backend, uuid)
    expect(incident).toMatchObject({ status: 'open', at: new Date(downAt + 30_000) })
    expect(incident?.summary).toContain('refused the connection')
  })

  it('opens nothing for a monitor that was up again before [ALERT-06]', async () => {
    const { id, uuid, goes } = await watched()
    await ruleOf({ id }, { for_seconds: 3_600 })
    await goes('down')
    await evaluate()
    await goes('up')
    await evaluate()
    seconds(3_600)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual([])
  })
})

describe('a monitor that is down already', () => {
  it('opens an incident for a rule that is created, enabled or pointed at it [ALERT-02]', async () => {
    const { id, uuid, goes } = await watched()
    const other = await watched()
    await goes('down')
    await evaluate()
    expect(await statusesOf(uuid)).toEqual([])
    const rule = await ruleOf({ id })
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['open'])
    const change = async (body: object) => {
      await call('PATCH', `/v1/alert-rules/${rule.id}`, body)
      await evaluate()
      return statusesOf(uuid)
    }
    expect(await change({ enabled: false })).toEqual(['resolved'])
    seconds(1)
    expect(await change({ enabled: true })).toEqual(['resolved', 'open'])
    expect(await change({ target: { type: 'monitor', id: other.id } })).toEqual(['resolved', 'resolved'])
    seconds(1)
    expect(await change({ target: { type: 'monitor', id } })).toEqual(['resolved', 'resolved', 'open'])
    expect(await statusesOf(other.uuid)).toEqual([])
  })

  it('opens an incident when it gets the tag of a rule, which is resolved when it loses it [ALERT-02]', async () => {
    const { id, uuid, goes } = await watched()
    await ruleOf({ tag: 'late' })
    await goes('down')
    await evaluate()
    await call('PATCH', `/v1/monitors/${id}`, { tags: ['late'] })
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['open'])
    await call('PATCH', `/v1/monitors/${id}`, { tags: [] })
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('opens no second incident for a rule whose incident was resolved by hand', async () => {
    const { id, uuid, goes } = await watched()
    const rule = await ruleOf({ id })
    await goes('down')
    await evaluate()
    const [incident] = (await call('GET', '/v1/incidents?status=open')).incidents
    await call('POST', `/v1/incidents/${incident.id}/resolve`)
    await ruleOf({ tag: 'nobody' })
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    await goes('up')
    await evaluate()
    expect((await incidentsOf(backend, uuid))[0]?.timeline).toHaveLength(2)
    await goes('down')
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
    await call('DELETE', `/v1/alert-rules/${rule.id}`)
  })
})

describe('response times', () => {
  const slow = { metric: 'response_ms', operator: 'greater_than', value: 1_000 }

  it('open with the first slow check, and resolve at clear_value [ALERT-04, ALERT-09]', async () => {
    const { id, uuid, bring } = await watched()
    const rule = await ruleOf({ id }, { condition: slow, clear_value: 500 })
    const statuses: string[][] = []
    for (const response_ms of [900, 1_200, 600, 1_500, 500]) {
      await bring('up', { response_ms })
      await evaluateChecks()
      statuses.push(await statusesOf(uuid))
    }
    expect(statuses).toEqual([[], ['open'], ['open'], ['open'], ['resolved']])
    const [incident] = await incidentsOf(backend, uuid)
    expect(incident).toMatchObject({ rule_id: parseId('alertRule', rule.id), evidence: { response_ms: 1_200 } })
    expect(incident?.summary).toBe('Shop is slow: 1.2 s (threshold 1 s)')
  })

  it('open by their mean over for_seconds, once checks cover it [ALERT-04, ALERT-06]', async () => {
    const { id, uuid, bring } = await watched({ interval: 60 })
    await ruleOf({ id }, { condition: slow, for_seconds: 240 })
    const statuses: number[] = []
    for (const response_ms of [5_000, 5_000, 100, 100, 100, 100, 3_000, 900]) {
      await bring('up', { response_ms })
      await evaluateChecks()
      statuses.push((await statusesOf(uuid)).length)
    }
    // Four checks lie in four minutes: 5,000, 5,000, 100, 100 are enough, and 100, 100, 3,000, 900 are again.
    expect(statuses).toEqual([0, 0, 0, 1, 1, 1, 1, 2])
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })

  it('open for a rule that is created after the check, and not twice once resolved by hand', async () => {
    const { id, uuid, bring } = await watched({ interval: 600 })
    await bring('up', { response_ms: 2_000 })
    await evaluateChecks()
    seconds(120)
    await evaluateChecks()
    const rule = await ruleOf({ id }, { condition: slow })
    await evaluateChecks()
    expect(await statusesOf(uuid)).toEqual(['open'])
    const { incidents } = await call('GET', '/v1/incidents?status=open')
    const { id: incident } = incidents.find(({ rule_id }: { rule_id: string }) => rule_id === rule.id)
    await call('POST', `/v1/incidents/${incident}/resolve`)
    await bring('up', { response_ms: 2_000 })
    await evaluateChecks()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    for (const response_ms of [10, 2_000]) {
      await bring('up', { response_ms })
      await evaluateChecks()
    }
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })

  it('that are unknown change nothing', async () => {
    const { id, uuid, bring } = await watched()
    await ruleOf({ id }, { condition: slow })
    await bring('up', { response_ms: 2_000 })
    await evaluateChecks()
    await bring('down')
    await evaluateChecks()
    expect(await statusesOf(uuid)).toEqual(['open'])
  })
})

it('a certificate opens with the check that finds it about to expire, and resolves with a new one [ALERT-04]', async () => {
  const { id, uuid, bring } = await watched()
  await ruleOf({ id }, { condition: { metric: 'certificate_days', operator: 'less_than', value: 14 } })
  const statuses: string[][] = []
  for (const days of [20, 13.5, 90]) {
    const expires_at = new Date(backend.clock.now() + days * 86_400_000).toISOString()
    await bring('up', { response_ms: 5, expires_at })
    await evaluateChecks()
    statuses.push(await statusesOf(uuid))
  }
  expect(statuses).toEqual([[], ['open'], ['resolved']])
})

it('a fact of a kind of check opens and resolves as a response time does, also of a check that fails', async () => {
  const { id, uuid, bring } = await watched({ type: 'icmp', url: 'icmp://shop.example.com' })
  await ruleOf({ id }, { condition: { metric: 'packet_loss', operator: 'greater_than', value: 20 } })
  const statuses: string[][] = []
  for (const [outcome, packet_loss] of [
    ['up', 0],
    ['up', 33.3],
    ['up', 'a text'],
    ['down', 100],
    ['up', 0],
  ] as const) {
    await bring(outcome, { facts: { packet_loss } })
    await evaluateChecks()
    statuses.push(await statusesOf(uuid))
  }
  expect(statuses).toEqual([[], ['open'], ['open'], ['open'], ['resolved']])
  const [incident] = await incidentsOf(backend, uuid)
  expect(incident?.summary).toBe('Shop: Packet loss 33.3 % (threshold 20 %)')
})

it('a rule on response times compares a run of a job that was too long for one, by its duration', async () => {
  const { id, uuid, bring } = await watched()
  await ruleOf({ id }, { condition: { metric: 'response_ms', operator: 'greater_than', value: 3_600_000 } })
  const statuses: string[][] = []
  for (const duration of [3_000, 7_200, 3_000]) {
    await bring('up', { facts: { duration } })
    await evaluateChecks()
    statuses.push(await statusesOf(uuid))
  }
  expect(statuses).toEqual([[], ['open'], ['resolved']])
})
