import type { AlertRulePreview } from '../alerting/alert-previews.ts'
import type { AlertRule, AlertRuleList, CreateAlertRuleBody, PatchAlertRuleBody } from '../alerting/alert-rules.ts'
import type {
  Channel,
  ChannelList,
  ChannelPreview,
  ChannelPreviewBody,
  ChannelTest,
  CreateChannelBody,
  PatchChannelBody,
} from '../notifying/channels.ts'
import type { LiveEventList } from '../notifying/events.ts'
import type {
  CreateMaintenanceWindowBody,
  MaintenanceWindow,
  MaintenanceWindowList,
  PatchMaintenanceWindowBody,
} from '../alerting/maintenance-windows.ts'
import type {
  AcknowledgeIncidentBody,
  Incident,
  IncidentCommentBody,
  IncidentItem,
  IncidentList,
  IncidentStepBody,
} from '../alerting/incidents.ts'
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
  escalation_policy_id: null,
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

const channel: Channel = {
  id: 'chn_01m7z3zq6vf4k9p2c8hx1w5dte',
  name: 'On call',
  type: 'webhook',
  enabled: true,
  config: { url: 'https://hooks.example.com/vedette', secret: '•••' },
  created_at: '2026-11-21T09:13:38.000Z',
  last_error: { at: '2026-11-21T09:24:31.204Z', code: 'refused', message: 'the service answered 410: no such hook', attempts: 3 },
  last_test: { at: '2026-11-21T09:14:02.731Z', delivered: true },
}
export const INCIDENT: IncidentItem = {
  id: 'inc_01m7z4m0x9e8ztq5yfr3b6k2jh',
  rule_id: MONITOR_DOWN.id,
  target: { type: 'monitor', id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', name: 'Shop' },
  status: 'open',
  severity: 'critical',
  summary: 'Shop is down: shop.example.com refused the connection',
  silenced: false,
  parent_id: null,
  flapping: false,
  opened_at: '2026-11-21T09:24:31.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
}
const maintenanceWindow: MaintenanceWindow = {
  id: 'mnt_01m7z5b2dqf4s8y3v6k9x0c1wh',
  name: 'Sunday updates',
  target: { type: 'server', id: null, tag: 'database' },
  starts_at: '2026-11-22T01:00:00.000Z',
  ends_at: '2026-11-22T03:00:00.000Z',
  repeat: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'Europe/Berlin',
  under_way_until: null,
  next_starts_at: '2026-11-22T01:00:00.000Z',
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}
const secret = 'whsec_bm90IGEgc2VjcmV0IGJ1dCBhbiBleGFtcGxlIQ=='

export const ALERT_EXAMPLES = {
  AlertRulePreview: {
    example: {
      from: '2026-11-14T09:25:00.000Z',
      to: '2026-11-21T09:25:00.000Z',
      step_seconds: null,
      targets: 1,
      has_more_targets: false,
      would_open: 1,
      incidents: [{ target: INCIDENT.target, opened_at: '2026-11-19T03:12:08.000Z', resolved_at: '2026-11-19T03:14:41.000Z' }],
    } satisfies AlertRulePreview,
  },
  CreateMaintenanceWindowBody: {
    example: {
      name: 'Sunday updates',
      target: { type: 'server', tag: 'database' },
      starts_at: '2026-11-22T01:00:00.000Z',
      ends_at: '2026-11-22T03:00:00.000Z',
      repeat: 'FREQ=WEEKLY;BYDAY=SU',
      time_zone: 'Europe/Berlin',
    } satisfies CreateMaintenanceWindowBody,
  },
  PatchMaintenanceWindowBody: { example: { repeat: null } satisfies PatchMaintenanceWindowBody },
  MaintenanceWindow: { example: maintenanceWindow },
  MaintenanceWindowList: { example: { maintenance_windows: [maintenanceWindow], ...PAGE } satisfies MaintenanceWindowList },
  CreateChannelBody: {
    example: {
      name: 'On call',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/vedette' },
    } satisfies CreateChannelBody,
    chat: { name: 'Operators', type: 'telegram', config: { bot_token: '123:abc', chat_id: '-42' } } satisfies CreateChannelBody,
  },
  PatchChannelBody: {
    example: { enabled: false } satisfies PatchChannelBody,
    newSecret: { config: { secret: null } } satisfies PatchChannelBody,
  },
  Channel: { example: channel, made: { ...channel, config: { ...channel.config, secret } } satisfies Channel },
  LiveEventList: {
    example: {
      events: [
        {
          id: 'evt_01m7z4m0xbfb6r2m9tqk8v3hwe',
          type: 'incident.opened',
          timestamp: INCIDENT.opened_at,
          data: { incident: INCIDENT },
        },
      ],
      last_event_id: 'evt_01m7z4m0xbfb6r2m9tqk8v3hwe',
      is_complete: true,
    } satisfies LiveEventList,
  },
  ChannelPreviewBody: {
    example: { type: 'slack', title_template: '{{ incident.severity | upcase }}: {{ title }}' } satisfies ChannelPreviewBody,
  },
  ChannelPreview: {
    example: {
      incident_id: INCIDENT.id,
      title: `CRITICAL: ${INCIDENT.summary}`,
      text: 'monitor: Shop',
      body: null,
      error: null,
    } satisfies ChannelPreview,
  },
  ChannelTest: {
    example: { delivered: true, status_code: 204, answer: null, error: null } satisfies ChannelTest,
    refused: {
      delivered: false,
      status_code: 404,
      answer: 'no such hook',
      error: { code: 'refused', message: 'the service answered 404: no such hook' },
    } satisfies ChannelTest,
  },
  Incident: {
    example: {
      ...INCIDENT,
      evidence: { status: 'down', reason: 'shop.example.com refused the connection' },
      timeline: [{ at: INCIDENT.opened_at, type: 'opened', message: INCIDENT.summary }],
      children: [],
      child_count: 0,
    } satisfies Incident,
  },
  IncidentList: { example: { incidents: [INCIDENT], ...PAGE } satisfies IncidentList },
  AcknowledgeIncidentBody: {
    example: { comment: 'The disk of db-1 is full', snooze_seconds: 3_600 } satisfies AcknowledgeIncidentBody,
  },
  IncidentStepBody: { example: { comment: 'I am on it' } satisfies IncidentStepBody, without: {} satisfies IncidentStepBody },
  IncidentCommentBody: { example: { comment: 'It was the switch' } satisfies IncidentCommentBody },
  ChannelList: { example: { channels: [channel], ...PAGE } satisfies ChannelList },
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
      escalation_policy_id: null,
      created_at: '2026-11-21T09:14:20.000Z',
      updated_at: '2026-11-21T09:14:20.000Z',
    } satisfies AlertRule,
  },
  AlertRuleList: { example: { alert_rules: [MONITOR_DOWN], ...PAGE } satisfies AlertRuleList },
}
