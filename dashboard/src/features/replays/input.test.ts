import type { AlertRule } from '@vedette/shared'
import { expect, it } from 'vitest'
import {
  bodiesOf,
  faultsOf,
  newSet,
  periodOf,
  readJson,
  type ReplayInput,
  ruleChange,
  type SetInput,
  toFormFaults,
  hasDuration,
} from './input.ts'

const NOW = Date.parse('2026-11-28T10:30:45Z')
const DAY = 86_400_000
const rule: AlertRule = {
  id: 'alr_1',
  name: 'Shop is down',
  enabled: true,
  target: { type: 'monitor', id: null, tag: null },
  condition: { metric: 'status', operator: 'equals', value: 'down' },
  clear_value: null,
  for_seconds: 0,
  severity: 'warning',
  channel_ids: ['ch_1'],
  repeat_seconds: 900,
  escalation_policy_id: null,
  description: null,
  runbook_url: null,
  managed: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
const quiet = { time_zone: 'UTC', from: '22:00', to: '07:00', critical_passes: true }
const inputOf = (...sets: SetInput[]): ReplayInput => ({ period: '7', from: '', to: '', acknowledge: '300', sets })
const changedSet = (own: object, json = ''): SetInput => ({ key: 1, changes: [{ ...ruleChange(2, rule), ...own }], json })
const setsOf = (...sets: SetInput[]) => bodiesOf(inputOf(...sets), { fromMs: NOW - DAY, toMs: NOW }).map(({ sets: sent }) => sent)

it('days end with the last full minute, and local times are those of the zone', () => {
  const toMs = Date.parse('2026-11-28T10:30:00Z')
  expect(periodOf(inputOf(), NOW, 'UTC')).toEqual({ fromMs: toMs - 7 * DAY, toMs })
  const other: ReplayInput = { ...inputOf(), period: 'other', from: '2026-11-01T00:00', to: '2026-11-02T00:00' }
  expect(periodOf(other, NOW, 'Europe/Berlin')?.fromMs).toBe(Date.parse('2026-10-31T23:00:00Z'))
  expect(periodOf({ ...other, to: '' }, NOW, 'UTC')).toBeUndefined()
})

it('what is configured is replayed alone, or with each changed set in a request of its own', () => {
  expect(setsOf()).toEqual([[{}]])
  expect(setsOf(newSet(ruleChange(9, rule)), changedSet({ severity: 'critical' }))).toEqual([
    [{}, { alert_rules: [{ id: 'alr_1' }] }],
    [{}, { alert_rules: [{ id: 'alr_1', severity: 'critical' }] }],
  ])
  const acknowledge = (...sets: SetInput[]) => bodiesOf(inputOf(...sets), { fromMs: 0, toMs: 1 })[0]?.acknowledge_after_seconds
  expect([acknowledge(), acknowledge(newSet(ruleChange(9, rule)))]).toEqual([null, 300])
})

it('only what differs from the rule is sent, and a policy replaces its channels and reminders', () => {
  const sent = (own: object) => setsOf(changedSet(own))[0]?.[1]?.alert_rules?.[0]
  expect(sent({ value: 'degraded' })).toEqual({
    id: 'alr_1',
    condition: { metric: 'status', operator: 'equals', value: 'degraded' },
  })
  expect(sent({ policy: 'esc_1' })).toEqual({
    id: 'alr_1',
    channel_ids: [],
    repeat_seconds: null,
    escalation_policy_id: 'esc_1',
  })
  const cpu: AlertRule = { ...rule, condition: { metric: 'cpu.percent', operator: 'greater_than', value: 90 } }
  expect(sent({ rule: cpu, value: '90', enabled: false })).toEqual({ id: 'alr_1', enabled: false })
  const found: AlertRule = { ...rule, condition: { metric: 'health.disk_failing', operator: 'equals', value: 1 } }
  expect(sent({ rule: found, value: '1', forSeconds: '600' })).toEqual({ id: 'alr_1', for_seconds: 600 })
  expect([rule, cpu, found].map(hasDuration)).toEqual([true, false, true])
})

it('what is pasted follows what is chosen, also from the file of a command', () => {
  const more = '[{}, { "name": "Calm", "alert_rules": [{ "id": "alr_2" }], "without": ["mw_1"] }]'
  expect(setsOf(changedSet({ forSeconds: '60' }, more))[0]?.[1]).toEqual({
    name: 'Calm',
    alert_rules: [{ id: 'alr_1', for_seconds: 60 }, { id: 'alr_2' }],
    without: ['mw_1'],
  })
  expect([readJson(' '), readJson('[{}]'), readJson('{}')]).toEqual([{}, {}, {}])
  expect([readJson('{'), readJson('5'), readJson('[{ "a": 1 }, { "b": 1 }]')].map((each) => typeof each)).toEqual([
    'string',
    'string',
    'string',
  ])
})

it('faults of the API are those of the fields of the form', () => {
  const sets = [newSet(ruleChange(9, rule)), changedSet({}, '{}')]
  sets[1] = { ...changedSet({}), changes: [{ kind: 'quiet', key: 3, userId: 'usr_1', isOn: true, quiet }, ruleChange(4, rule)] }
  const faults = (...paths: string[]) =>
    toFormFaults(
      paths.map((path) => ({ path, message: 'is wrong' })),
      sets,
      1,
    ).map(({ path, message }) => `${path}: ${message}`)
  expect(faults('sets.1.alert_rules.0.for_seconds', 'sets.1.quiet_times.0.quiet_time.from', 'from')).toEqual([
    'sets.1.changes.1.for_seconds: is wrong',
    'sets.1.changes.0.quiet_time.from: is wrong',
    'from: is wrong',
  ])
  expect(faults('sets.1.quiet_times.0.user_id', 'sets.1.alert_rules.0.name')).toEqual([
    'sets.1.changes.0.id: is wrong',
    'sets.1.changes.1.id: name: is wrong',
  ])
  expect(faults('sets.1.alert_rules.2.severity', 'sets.1.schedules', 'sets.1')).toEqual([
    'sets.1.json: alert_rules.1.severity: is wrong; schedules: is wrong; is wrong',
  ])
})

it('a change of nothing, times in a wrong order and a broken text are found before anything is sent', () => {
  const paths = (input: ReplayInput) => faultsOf(input, NOW, 'UTC').map(({ path }) => path)
  expect(paths(inputOf(newSet(), { key: 5, changes: [], json: '[' }))).toEqual(['sets.0.changes.0.id', 'sets.1.json'])
  const other = (from: string, to: string): ReplayInput => ({ ...inputOf(), period: 'other', from, to })
  expect(paths(other('2026-11-02T00:00', '2026-11-01T00:00'))).toEqual(['to'])
  expect(paths(other('2026-08-01T00:00', '2026-11-01T00:00'))).toEqual(['to'])
  expect(paths(other('2026-11-01T00:00', '2026-11-29T00:00'))).toEqual(['to'])
  expect(paths(other('', ''))).toEqual(['from'])
  expect(paths(other('2026-11-01T00:00', '2026-11-02T00:00'))).toEqual([])
})
