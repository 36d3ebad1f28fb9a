import { ALERT_METRICS, ALERT_STATUSES, type AlertRule } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { bodyOfRule, EMPTY_RULE, metricsOf, ruleBodyOf, ruleDraftOf, statusesOf, withMetric, withTarget } from './draft.ts'

const RULE: AlertRule = {
  id: 'alr_01m7z41c2rexgth7mzk9w5qdva',
  name: 'Disk of the databases',
  enabled: false,
  target: { type: 'server', id: null, tag: 'database' },
  condition: { metric: 'filesystem.percent', mount: '/var', operator: 'greater_than', value: 85 },
  clear_value: 80,
  for_seconds: 300,
  severity: 'warning',
  channel_ids: ['chn_1'],
  repeat_seconds: 3_600,
  created_at: '2026-11-21T09:14:20.000Z',
  updated_at: '2026-11-21T09:14:20.000Z',
}

describe('the editor of alert rules', () => {
  it.each(['monitor', 'server'] as const)('offers of a %s what the API knows, neither more nor less', (type) => {
    expect(metricsOf(type).toSorted()).toEqual(ALERT_METRICS[type].toSorted())
    expect(statusesOf(type)).toEqual(ALERT_STATUSES[type])
  })

  it('changes nothing of a rule that is opened and saved', () => {
    const { id: _id, created_at: _made, updated_at: _changed, ...definition } = RULE
    expect(bodyOfRule(RULE)).toEqual(definition)
  })

  it('takes along what goes with another metric, and nothing that does not', () => {
    const ofStatus = withMetric(ruleDraftOf(RULE), 'status')
    expect(ruleBodyOf(ofStatus)).toMatchObject({
      condition: { metric: 'status', operator: 'equals', value: 'offline' },
      clear_value: null,
    })
    expect(ruleBodyOf(withMetric(ofStatus, 'cpu.percent')).condition).toEqual({
      metric: 'cpu.percent',
      operator: 'greater_than',
      value: '',
    })
    const ofMonitors = withTarget(ruleDraftOf(RULE), { type: 'monitor', scope: 'all', tag: '', id: undefined })
    expect(ruleBodyOf(ofMonitors)).toMatchObject({
      target: { type: 'monitor', id: null, tag: null },
      condition: { metric: 'status', value: 'down' },
    })
  })

  it('names a rule by its condition where nobody does', () => {
    expect(ruleBodyOf(EMPTY_RULE).name).toBe('CPU: use above 90 %')
  })
})
