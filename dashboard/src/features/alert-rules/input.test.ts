import { ALERT_METRICS, ALERT_STATUSES, type AlertRule } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { messages } from '../../messages/index.ts'
import { metrics } from '../../messages/metrics.ts'
import { conditionText, metricLabel } from '../../lib/condition-text.ts'
import { newRule, NEW_RULE, sourceOf, toRuleBody, toRuleInput, withMetric, withSource, withTarget } from './input.ts'

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
  escalation_policy_id: null,
  description: null,
  runbook_url: null,
  managed: null,
  created_at: '2026-11-21T09:14:20.000Z',
  updated_at: '2026-11-21T09:14:20.000Z',
}

const OF_SERIES: AlertRule = {
  ...RULE,
  target: { type: 'series', id: null, tag: null },
  condition: { metric: 'promql', operator: 'equals', value: 1, expression: 'up == 0', every_seconds: 30 },
  clear_value: null,
  last_error: 'query timed out after 30 s',
}

describe('the alert rule editor', () => {
  it.each(['monitor', 'server'] as const)('has a label for each metric of a %s that the API knows', (type) => {
    expect(ALERT_METRICS[type].filter((metric) => metricLabel(type, metric).name === metric)).toEqual([])
    expect(Object.keys(metrics[type]).filter((metric) => !ALERT_METRICS[type].includes(metric))).toEqual([])
    expect(ALERT_STATUSES[type].filter((status) => messages.status[status] === undefined)).toEqual([])
  })

  it('shows a metric that the page does not know by its API name', () => {
    expect(metricLabel('server', 'gpu.percent')).toEqual({ name: 'gpu.percent', unit: '' })
  })

  it('changes nothing of a rule that is saved without changes', () => {
    const definitionOf = ({
      id: _id,
      managed: _managed,
      last_error: _error,
      created_at: _made,
      updated_at: _changed,
      ...definition
    }: AlertRule) => definition
    expect(toRuleBody(toRuleInput(RULE))).toEqual(definitionOf(RULE))
    expect(toRuleBody(toRuleInput(OF_SERIES))).toEqual(definitionOf(OF_SERIES))
    expect(toRuleInput(OF_SERIES).lastError).toBe('query timed out after 30 s')
  })

  it('changes between a metric and an expression, which has no target and is the name of a rule without one', () => {
    const ofSeries = withMetric({ ...toRuleInput(RULE), name: ' ', expression: ' up\n== 0 ' }, 'promql')
    expect(toRuleBody(ofSeries)).toMatchObject({
      name: 'up == 0',
      target: { type: 'series', id: null, tag: null },
      condition: { metric: 'promql', operator: 'equals', value: 1, expression: 'up\n== 0', every_seconds: 60 },
      clear_value: null,
    })
    expect(toRuleBody(withMetric(ofSeries, 'cpu.percent'))).toMatchObject({
      target: { type: 'server' },
      condition: { metric: 'cpu.percent', operator: 'greater_than', value: Number.NaN },
    })
    expect(conditionText(OF_SERIES)).toBe('up == 0 for 5 min')
  })

  it('resets the operator, the value and the recovery value where they do not fit a new metric or target', () => {
    const ofStatus = withMetric(toRuleInput(RULE), 'status')
    expect(toRuleBody(ofStatus)).toMatchObject({
      condition: { metric: 'status', operator: 'equals', value: 'offline' },
      clear_value: null,
    })
    expect(toRuleBody(withMetric(ofStatus, 'cpu.percent')).condition).toEqual({
      metric: 'cpu.percent',
      operator: 'greater_than',
      value: Number.NaN,
    })
    const ofMonitors = withTarget(toRuleInput(RULE), { type: 'monitor', scope: 'all', tag: '', id: undefined })
    expect(toRuleBody(ofMonitors)).toMatchObject({
      target: { type: 'monitor', id: null, tag: null },
      condition: { metric: 'status', value: 'down' },
    })
  })

  it('offers more than none of what is wrong with a host', () => {
    const ofUnits = withMetric({ ...NEW_RULE, operator: 'less_than' }, 'host.failed_units')
    expect(toRuleBody(ofUnits)).toMatchObject({
      name: 'Failed units is above 0',
      condition: { metric: 'host.failed_units', operator: 'greater_than', value: 0 },
    })
    expect(withMetric(ofUnits, 'cpu.percent').value).toBe('')
  })

  it('begins with what people look at first of a kind, and keeps the name within it', () => {
    const ofContainers = withSource(NEW_RULE, 'container')
    expect(ofContainers).toMatchObject({ metric: 'entity.container.cpu_percent', operator: 'greater_than' })
    expect(sourceOf(ofContainers)).toBe('container')
    const named = { ...ofContainers, entityName: ' shop/* ' }
    const running = withMetric(named, 'entity.container.running')
    expect(toRuleBody(running)).toMatchObject({
      name: 'Container shop/*: Running is no',
      condition: { metric: 'entity.container.running', operator: 'equals', value: 0, name: 'shop/*' },
      clear_value: null,
    })
    expect(withMetric(running, 'entity.container.restarts').value).toBe('')
    expect(withMetric(named, 'entity.unit.failed')).toMatchObject({ entityName: '', operator: 'equals', value: '1' })
    expect(toRuleBody(withSource(named, 'host')).condition).not.toHaveProperty('name')
  })

  it('changes nothing of a rule about entities', () => {
    const condition = {
      metric: 'entity.sensor.temperature_celsius',
      operator: 'greater_than',
      value: 80,
      name: 'Core *',
    } as const
    expect(toRuleBody(toRuleInput({ ...RULE, condition })).condition).toEqual(condition)
  })

  it('is filled in by an address, of which it takes only what it knows', () => {
    const metric = 'entity.container.memory_percent'
    expect(newRule({ server: 'srv_1', metric, name: 'web' })).toMatchObject({
      target: { type: 'server', scope: 'single', id: 'srv_1' },
      metric,
      entityName: 'web',
    })
    expect(newRule({ metric: 'entity.container.height', name: 'web' })).toEqual(NEW_RULE)
    expect(newRule({ metric: 'cpu.percent', name: 'web' }).entityName).toBe('')
  })

  it('names a rule by its condition where no name was entered', () => {
    expect(toRuleBody(NEW_RULE).name).toBe('CPU usage is above 90 %')
  })
})
