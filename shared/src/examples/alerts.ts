import type { AlertRule, AlertRuleList, CreateAlertRuleBody, PatchAlertRuleBody } from '../alert-rules.ts'
import { PAGE } from './common.ts'

export const MONITOR_DOWN: AlertRule = {
  id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz',
  name: 'Monitor down',
  enabled: true,
  target: { type: 'monitor', id: null, tag: null },
  condition: { metric: 'status', operator: 'equals', value: 'down' },
  clear_value: null,
  for_seconds: 0,
  severity: 'critical',
  channel_ids: [],
  repeat_seconds: null,
  created_at: '2026-11-21T09:06:55.000Z',
  updated_at: '2026-11-21T09:06:55.000Z',
}

const definition: CreateAlertRuleBody = {
  name: 'Disk of the databases',
  target: { type: 'server', tag: 'database' },
  condition: { metric: 'filesystem.percent', mount: '/var', operator: 'greater_than', value: 85 },
  clear_value: 80,
  for_seconds: 300,
  severity: 'warning',
}

export const ALERT_EXAMPLES = {
  CreateAlertRuleBody: { example: definition },
  PatchAlertRuleBody: { example: { enabled: false } satisfies PatchAlertRuleBody },
  AlertRule: {
    example: {
      id: 'alr_01m7z41c2rexgth7mzk9w5qdva',
      ...definition,
      enabled: true,
      target: { type: 'server', id: null, tag: 'database' },
      clear_value: 80,
      for_seconds: 300,
      severity: 'warning',
      channel_ids: [],
      repeat_seconds: null,
      created_at: '2026-11-21T09:14:20.000Z',
      updated_at: '2026-11-21T09:14:20.000Z',
    } satisfies AlertRule,
  },
  AlertRuleList: { example: { alert_rules: [MONITOR_DOWN], ...PAGE } satisfies AlertRuleList },
}
