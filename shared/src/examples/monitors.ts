import type { Static } from 'typebox'
import type { PingKey, PingList } from '../monitoring/heartbeats/wire.ts'
import type {
  BulkMonitorsAnswer,
  BulkMonitorsBody,
  Check,
  CheckList,
  CheckTrial,
  CreateMonitorBody,
  DeletedMonitorList,
  MonitorDetails,
  MonitorItem,
  MonitorList,
  MonitorStats,
  PatchMonitorBody,
  TransitionList,
} from '../monitoring/monitors.ts'
import { MONITOR_DOWN } from './alerts.ts'
import { PAGE, SERVER_ID } from './common.ts'

const MONITOR_ID = 'mon_01m7z3vk2kewwbm06fcdra9ncd'
const CHECKED_AT = '2026-11-21T09:11:14.000Z'

const definition: CreateMonitorBody = {
  name: 'Shop',
  url: 'https://shop.example.com/health',
  interval: 30,
  headers: { Authorization: 'Bearer abc' },
  assertions: [
    { type: 'status_code', operator: 'equals', value: 200 },
    { type: 'json_path', property: '$.status', operator: 'equals', value: 'ok' },
  ],
  tags: ['prod'],
  depends_on: [{ type: 'server', tag: 'database' }],
}

const item: MonitorItem = {
  id: MONITOR_ID,
  name: 'Shop',
  type: 'http',
  url: 'https://shop.example.com/health',
  method: 'GET',
  interval: 30,
  status: 'up',
  flapping: false,
  regions: ['local'],
  tags: ['prod'],
  uptime_7d: 99.98,
  avg_response_ms: 84.2,
  last_checked_at: CHECKED_AT,
  created_at: '2026-11-21T09:06:56.374Z',
}

const times = {
  status_code: 200,
  response_ms: 83.412,
  dns_ms: 1.204,
  connect_ms: 11.87,
  tls_ms: 24.038,
  first_byte_ms: 45.9,
  transfer_ms: 0.4,
  error: null,
  address: '192.0.2.80',
  facts: {},
} as const

const check: Check = { checked_at: CHECKED_AT, region: 'local', outcome: 'up', ...times }

const details: MonitorDetails = {
  ...item,
  timeout: 10,
  headers: { Authorization: 'Bearer abc' },
  body: null,
  options: {},
  credentials: {},
  assertions: definition.assertions ?? [],
  server_id: SERVER_ID,
  depends_on: [{ type: 'server', tag: 'database' }],
  follow_redirects: true,
  verify_tls: true,
  confirmations: 2,
  updated_at: '2026-11-21T09:06:56.374Z',
  status_since: '2026-11-21T09:06:56.374Z',
  certificate_expires_at: '2027-02-01T12:00:00.000Z',
  alert_rules: [MONITOR_DOWN],
  recent_checks: [check],
}

const figures = {
  uptime_percent: 99.98,
  avg_response_ms: 84.2,
  p95_response_ms: 131.5,
  p99_response_ms: 212.75,
  total_checks: 2_880,
  failed_checks: 1,
  by_region: { local: { avg_response_ms: 84.2, uptime_percent: 99.98 } },
}

export const MONITOR_EXAMPLES = {
  CreateMonitorBody: { example: definition },
  PatchMonitorBody: { example: { interval: 60, tags: ['prod', 'shop'] } satisfies PatchMonitorBody },
  DeletedMonitorList: {
    example: {
      monitors: [
        {
          id: item.id,
          name: item.name,
          url: item.url,
          tags: item.tags,
          deleted_at: '2026-11-21T09:15:00.000Z',
          removed_at: '2026-12-21T09:15:00.000Z',
        },
      ],
      ...PAGE,
    } satisfies DeletedMonitorList,
  },
  MonitorList: {
    example: { monitors: [item], ...PAGE } satisfies Static<typeof MonitorList>,
    withSparkline: {
      monitors: [
        {
          ...item,
          sparkline: { from: '2026-11-21T08:00:00.000Z', step_seconds: 3_600, avg_response_ms: [null, 84.2] },
        },
      ],
      ...PAGE,
    } satisfies Static<typeof MonitorList>,
    withUptime: {
      monitors: [
        {
          ...item,
          uptime: { from: '2026-08-24T00:00:00.000Z', step_seconds: 86_400, uptime_percent: [null, 100, 99.9305] },
          p95_response_ms: 121.4,
          status_by_region: { local: 'up', 'eu-1': null },
        },
      ],
      ...PAGE,
    } satisfies Static<typeof MonitorList>,
  },
  MonitorDetails: { example: details },
  BulkMonitorsBody: {
    example: {
      create: [{ name: 'Blog', url: 'https://blog.example.com/' }],
      update: [{ id: MONITOR_ID, interval: 60 }],
    } satisfies BulkMonitorsBody,
    deleting: { delete: [MONITOR_ID] } satisfies BulkMonitorsBody,
    restoring: { restore: [MONITOR_ID] } satisfies BulkMonitorsBody,
  },
  BulkMonitorsAnswer: {
    example: {
      results: [
        { action: 'update', id: MONITOR_ID, monitor: { ...details, interval: 60 } },
        { action: 'delete', id: 'mon_01m7z3vk2kewwbm06fcdra9ncf' },
      ],
    } satisfies BulkMonitorsAnswer,
  },
  CheckTrial: {
    example: {
      ...check,
      http_version: '1.1',
      certificate_expires_at: '2027-02-01T12:00:00.000Z',
    } satisfies CheckTrial,
    failing: {
      checked_at: CHECKED_AT,
      region: 'local',
      outcome: 'down',
      status_code: null,
      response_ms: null,
      dns_ms: 1.3,
      connect_ms: null,
      tls_ms: null,
      first_byte_ms: null,
      transfer_ms: null,
      address: null,
      facts: {},
      http_version: null,
      certificate_expires_at: null,
      error: { code: 'connect', message: 'shop.example.com refused the connection' },
    } satisfies CheckTrial,
  },
  PingList: {
    example: {
      pings: [
        {
          received_at: CHECKED_AT,
          kind: 'fail',
          exit_code: 3,
          rid: '123e4567-e89b-12d3-a456-426614174000',
          duration_ms: 81_250,
          method: 'POST',
          address: '192.0.2.10',
          user_agent: 'curl/8.14.1',
          body: 'disk full',
        },
      ],
      ...PAGE,
    } satisfies PingList,
  },
  PingKey: {
    example: {
      ping_key: 'vdt_pky_7Qm2',
      ping_url: 'https://vedette.example.com/ping/vdt_pky_7Qm2',
      created_at: CHECKED_AT,
    } satisfies PingKey,
  },
  PutPingKeyBody: { example: { ping_key: 'fqOOd6-F4MMNuCEnzTU01w' } },
  CheckList: { example: { checks: [check], ...PAGE } satisfies Static<typeof CheckList> },
  TransitionList: {
    example: {
      transitions: [{ at: CHECKED_AT, from_status: 'up', to_status: 'paused', reason: 'paused' }],
      ...PAGE,
    } satisfies Static<typeof TransitionList>,
  },
  MonitorStats: {
    example: figures satisfies MonitorStats,
    withSeries: {
      ...figures,
      series: {
        step_seconds: 3_600,
        from: '2026-11-21T08:00:00.000Z',
        avg_response_ms: [null, 84.2],
        p95_response_ms: [null, 131.5],
        uptime_percent: [null, 99.98],
      },
    } satisfies MonitorStats,
  },
}
