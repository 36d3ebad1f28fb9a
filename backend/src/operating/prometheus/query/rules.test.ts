import { expect, it } from 'vitest'
import { queryOf } from './rule-query.ts'
import { toGroup } from './rules.ts'
import type { OpenAlert, StoredRule } from './rules-store.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const MONITOR = 'mon_01h455vb4pex5vsknk084sn02q'
const SERVER = MONITOR.replace('mon', 'srv')
const rule = (own: Partial<StoredRule>): StoredRule => ({
  id: ID,
  name: 'rule',
  targetType: 'monitor',
  targetId: null,
  targetTag: null,
  metric: 'status',
  mount: null,
  entityName: null,
  expression: null,
  lastError: null,
  operator: 'equals',
  value: 'down',
  forSeconds: 0,
  severity: 'critical',
  ...own,
})
const above = { operator: 'greater_than' } as const
const ofServer = { targetType: 'server', ...above } as const

it.each<[Partial<StoredRule>, string, number]>([
  [{ forSeconds: 120 }, 'vedette_monitor_status{status="down"}', 120],
  [{ targetId: ID }, `vedette_monitor_status{monitor_id="${MONITOR}",status="down"}`, 0],
  [
    { targetTag: 'a.b', value: 'degraded' },
    'vedette_monitor_status{status="degraded"} and on (monitor_id) vedette_monitor_info{tags=~".*,a\\\\.b,.*"}',
    0,
  ],
  [{ ...above, metric: 'response_ms', value: 500 }, 'probe_duration_seconds > 0.5', 0],
  [
    { ...above, metric: 'response_ms', value: 500, forSeconds: 300 },
    'sum by (monitor_id) (sum_over_time(probe_duration_seconds[300s])) / sum by (monitor_id) (count_over_time(probe_duration_seconds[300s])) > 0.5',
    0,
  ],
  [
    { metric: 'certificate_days', operator: 'less_than', value: 14 },
    'min by (monitor_id) (probe_ssl_earliest_cert_expiry - time()) / 86400 < 14',
    0,
  ],
  [{ ...above, metric: 'packet_loss', value: 5 }, 'vedette_check_fact{fact="packet_loss"} > 5', 0],
  [{ ...ofServer, metric: 'cpu.percent', value: 90 }, 'vedette_cpu_percent > 90', 0],
  [
    { ...ofServer, metric: 'cpu.percent', value: 90, forSeconds: 600, targetId: ID },
    `avg_over_time(vedette_cpu_percent{server_id="${SERVER}"}[600s]) > 90`,
    0,
  ],
  [{ ...ofServer, metric: 'tcp.time_wait', value: 9 }, 'vedette_tcp_connections{state="time_wait"} > 9', 0],
  [{ ...ofServer, metric: 'host.failed_units', value: 0, forSeconds: 60 }, 'vedette_host_failed_units > 0', 60],
  [
    { ...ofServer, metric: 'filesystem.percent', value: 90, mount: '/srv/"a"' },
    'vedette_filesystem_used_percent{mountpoint="/srv/\\"a\\""} > 90',
    0,
  ],
  [
    { ...ofServer, metric: 'entity.disk.power_on_hours', value: 2, entityName: '*da', forSeconds: 60 },
    'vedette_disk_power_on_seconds{name=~".*da"} > 7200',
    60,
  ],
  [
    { ...ofServer, metric: 'entity.container.running', operator: 'equals', value: 0, entityName: 'shop/web' },
    'vedette_container_running{name="shop/web"} == 0',
    0,
  ],
  [{ ...ofServer, metric: 'status', operator: 'equals', value: 'offline', forSeconds: 60 }, 'status is offline', 60],
  [
    { ...ofServer, metric: 'filesystem.days_until_full', operator: 'less_than', value: 7, mount: '/' },
    'filesystem.days_until_full on / is below 7',
    0,
  ],
  [
    { ...above, targetType: 'slo', metric: 'burn_rate', value: 14.4, forSeconds: 3600 },
    'burn_rate over 3600 s is above 14.4',
    3600,
  ],
])('the condition %j is asked for, or said in words', (own, query, durationSeconds) => {
  expect(queryOf(rule(own))).toEqual({ query, durationSeconds })
})

it('rules are one group, and their open incidents alerts', () => {
  const alert = (own: Partial<OpenAlert>): OpenAlert => ({
    id: ID,
    ruleId: ID,
    openedAtMs: 0,
    targetType: 'monitor',
    targetId: ID,
    targetName: 'Shop',
    severity: 'critical',
    summary: 'Shop is down',
    evidence: {},
    ...own,
  })
  const other = ID.replace('0', '1')
  const rules = [rule({}), rule({ ...ofServer, id: other, metric: 'cpu.percent', value: 90, severity: 'warning' })]
  const quiet = rule({ id: ID.replace('0', '2'), name: 'quiet' })
  const group = toGroup(
    [...rules, quiet],
    [
      alert({}),
      alert({ ruleId: other, targetType: 'server', severity: 'warning', evidence: { metric: 'cpu.percent', value: 97.5 } }),
      alert({ ruleId: other, targetType: 'slo', evidence: { value: 0.000_012 } }),
    ],
    1_000,
  )
  expect(group).toMatchObject({ name: 'vedette', interval: 30, lastEvaluation: '1970-01-01T00:00:01.000Z' })
  expect(group.rules.map(({ state, labels, alerts }) => [state, labels['severity'], alerts.map(({ value }) => value)])).toEqual([
    ['firing', 'critical', ['1e+00']],
    ['firing', 'warning', ['9.75e+01', '1.2e-05']],
    ['inactive', 'critical', []],
  ])
  expect(group.rules[0]?.alerts).toEqual([
    {
      labels: { alertname: 'rule', severity: 'critical', instance: 'Shop', monitor_id: MONITOR },
      annotations: { summary: 'Shop is down', incident_id: MONITOR.replace('mon', 'inc') },
      state: 'firing',
      activeAt: '1970-01-01T00:00:00.000Z',
      value: '1e+00',
    },
  ])
  expect(group.rules[1]?.alerts.map(({ labels }) => Object.keys(labels).slice(2))).toEqual([
    ['instance', 'server_id'],
    ['slo', 'slo_id'],
  ])
})
