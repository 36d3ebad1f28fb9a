import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { encodeId } from '../../../platform/ids.ts'

const START = Date.parse('2026-11-27T12:00:00Z')
const CONDITION = { metric: 'health.unit_failed', operator: 'equals', value: 1 }

let backend: TestBackend
let owner: Credentials & { userId: string }
let ruleId: string
let rule: object
beforeAll(async () => {
  backend = await startTestBackend({ startMs: START, environment: LOCAL_TARGETS })
  const organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  await call('POST', '/contact-methods', { type: 'ntfy', config: { url: 'http://127.0.0.1:9', topic: 'ada' } })
  await removeRules(backend, organization)
  const steps = [{ user_ids: [encodeId('user', owner.userId)] }]
  const { id: policyId } = await call('POST', '/escalation-policies', { name: 'Hosts', steps })
  rule = { name: 'unit', target: { type: 'server' }, condition: CONDITION, escalation_policy_id: policyId }
  ruleId = (await call('POST', '/alert-rules', rule)).id
  const instance = startBeating(backend)
  const [server, calm] = [await measure(backend, organization), await measure(backend, organization)]
  /** Minutes pass, at whose ends the server pushes its unit. */
  const minutes = async (count: number, failed: number) => {
    for (let minute = 0; minute < count; minute += 1) {
      backend.clock.advance(55_000)
      await instance.beat()
      const unit = { kind: 'unit', name: 'nginx.service', values: { failed } }
      await server.sends({ 'cpu.percent': [1] }, { entities: [unit] })
      await calm.sends({ 'cpu.percent': [1] }, { entities: [{ ...unit, values: { failed: 0 } }] })
      backend.clock.advance(5_000)
      await instance.beat()
      await backend.jobs.evaluateServers()
    }
  }
  // Once for one minute, once for six, and once until now.
  for (const [count, failed] of [
    [2, 0],
    [1, 1],
    [2, 0],
    [6, 1],
    [3, 0],
    [2, 1],
  ] as const)
    await minutes(count, failed)
  backend.clock.advance(1)
})
afterAll(() => backend.close())

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await backend.call(method, `/v1${path}`, { as: owner, body, headers })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const replayed = async (set: object, from = START, headers = {}) => {
  const period = { from: new Date(from).toISOString(), to: new Date(backend.clock.now()).toISOString() }
  return (await call('POST', '/replays', { ...period, sets: [set] }, headers)).sets[0]
}
const timesOf = ({ list }: { list: { reason: string; opened_at: string; resolved_at: string | null }[] }) =>
  list.filter(({ reason }) => reason === 'policy').map(({ opened_at: from, resolved_at: to }) => [from, to])

it('a new rule on a finding opens in a replay what the same rule really opened', async () => {
  const real = await replayed({})
  expect([real.incidents, timesOf(real).length, real.not_replayed]).toEqual([3, 3, []])
  const added = await replayed({ without: [ruleId], alert_rules: [rule] })
  expect([added.incidents, added.not_replayed]).toEqual([3, []])
  expect(timesOf(added)).toEqual(timesOf(real))
})

it('a rule on a finding with another duration is replayed from what was found', async () => {
  const set = await replayed({ alert_rules: [{ id: ruleId, for_seconds: 180, severity: 'critical' }] })
  const [, second] = timesOf(await replayed({}))
  expect([set.incidents, set.not_replayed]).toEqual([1, []])
  const [opened, resolved] = timesOf(set)[0] as [string, string]
  expect([Date.parse(opened) - Date.parse(second?.[0] as string), resolved]).toEqual([180_000, second?.[1]])
})

it('a rule on a finding that is off is replayed as if it had been on', async () => {
  await call('PATCH', `/alert-rules/${ruleId}`, { enabled: false })
  expect((await replayed({})).incidents).toBe(0)
  const set = await replayed({ alert_rules: [{ id: ruleId, enabled: true }] })
  expect([set.incidents, set.not_replayed]).toEqual([3, []])
  const cpu = {
    name: 'cpu',
    target: { type: 'server' },
    condition: { metric: 'cpu.percent', operator: 'greater_than', value: 9 },
  }
  const { id } = await call('POST', '/alert-rules', { ...cpu, enabled: false })
  const { not_replayed: limits } = await replayed({ alert_rules: [{ id, enabled: true }] })
  expect(limits).toMatchObject([{ alert_rule_name: 'cpu', reason: expect.stringMatching(/^it is off now: only incidents/) }])
  await call('DELETE', `/alert-rules/${id}`)
})

it('a replay that begins before the changes of health are kept says so by the rule, in the language of the reader', async () => {
  const before = START - 40 * 86_400_000
  const change = { alert_rules: [{ id: ruleId, enabled: true }] }
  const { incidents, not_replayed: limits } = await replayed(change, before)
  expect([incidents, limits]).toEqual([
    3,
    [
      {
        alert_rule_id: ruleId,
        alert_rule_name: 'unit',
        reason: 'what was found on servers before 2026-11-01T00:00:00.000Z is not stored',
      },
    ],
  ])
  const german = await replayed(change, before, { 'accept-language': 'de' })
  expect(german.not_replayed[0].reason).toBe('was vor 2026-11-01T00:00:00.000Z an Servern vorlag, ist nicht gespeichert')
})
