import type { AlertFormat } from '../format.ts'
import { grafana } from '../grafana.ts'
import { monitoringCore } from '../monitoring-core.ts'
import { opsgenie } from '../opsgenie.ts'
import { pagerduty } from '../pagerduty.ts'
import { sns } from '../sns.ts'
import { uptimeKuma } from '../uptime-kuma.ts'
import { zabbix } from '../zabbix.ts'

export const FORMATS = { grafana, monitoringCore, opsgenie, pagerduty, sns, uptimeKuma, zabbix } satisfies Record<
  string,
  AlertFormat
>
export type FormatName = keyof typeof FORMATS

const grafanaAlert = {
  status: 'firing',
  labels: { alertname: 'High memory usage', team: 'blue', zone: 'us-1', severity: 'critical' },
  annotations: {
    summary: 'Memory of web-1 is full',
    description: 'More than 95 % for 5 minutes',
    runbook_url: 'https://wiki.example/1',
  },
  startsAt: '2026-11-30T10:51:03.157076+01:00',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://grafana.example/alerting/1afz29v7z/edit',
  fingerprint: 'c6eadffa33fcdf37',
  silenceURL: 'https://grafana.example/alerting/silence/new',
  dashboardURL: 'https://grafana.example/d/abc',
  panelURL: 'https://grafana.example/d/abc?viewPanel=2',
  values: { B: 96.2, C: 1 },
  valueString: "[ var='B' labels={} value=96.2 ]",
}

const cloudwatch = {
  AlarmName: 'shop-errors',
  AlarmDescription: 'The shop answers with errors',
  AWSAccountId: '123456789012',
  AlarmConfigurationUpdatedTimestamp: '2026-11-01T09:00:00.000+0000',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed: 1 datapoint [12.0] was greater than the threshold (10.0).',
  StateChangeTime: '2026-11-30T09:51:03.157+0000',
  Region: 'EU (Frankfurt)',
  AlarmArn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:shop-errors',
  OldStateValue: 'OK',
  OKActions: [],
  AlarmActions: ['arn:aws:sns:eu-central-1:123456789012:alerts'],
  InsufficientDataActions: [],
  Trigger: {
    MetricName: '5XXError',
    Namespace: 'AWS/ApiGateway',
    StatisticType: 'Statistic',
    Statistic: 'SUM',
    Unit: null,
    Dimensions: [{ value: 'shop', name: 'ApiName' }],
    Period: 60,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 10,
  },
}

export const snsOf = (message: object | string) => ({
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
  Subject: 'ALARM: "shop-errors" in EU (Frankfurt)',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2026-11-30T09:51:04.000Z',
  SignatureVersion: '1',
  Signature: 'RVhBTVBMRQ==',
  SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123.pem',
  UnsubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe',
})

const kumaMonitor = {
  id: 29,
  name: 'Shop',
  pathName: 'Web / Shop',
  type: 'http',
  url: 'https://user:pass@shop.example/health?key=secret',
  hostname: null,
  tags: [
    { name: 'team', value: 'shop' },
    { name: 'public', value: '' },
  ],
}

/** A whole body of each sender, with every field that its format reads. */
export const BODIES = {
  grafana: { receiver: 'vedette', status: 'firing', orgId: 1, alerts: [grafanaAlert], groupLabels: {}, version: '1' },
  monitoringCore: {
    type: 'PROBLEM',
    host: 'web-1',
    address: '192.0.2.10',
    service: 'Filesystem /var',
    state: 'CRITICAL',
    output: '97.1 % used',
    author: '',
    comment: '',
    changed_at: '1796032263',
    url: 'https://checkmk.example/mysite/check_mk/index.py?start_url=view.py',
    site: 'mysite',
  },
  opsgenie: {
    message: 'Disk of db-1 is full',
    alias: 'disk-db-1',
    description: 'No space is left on /var',
    responders: [{ name: 'DBA', type: 'team' }],
    tags: ['env:prod', 'urgent', 'database'],
    details: { host: 'db-1', mount: '/var' },
    entity: 'db-1',
    source: 'Nagios',
    user: 'Ada',
    note: 'Seen by the night shift',
    priority: 'P1',
  },
  pagerduty: {
    routing_key: 'samplekeyhere',
    dedup_key: 'db-1/disk',
    event_action: 'trigger',
    client: 'Sample Monitoring Service',
    client_url: 'https://monitoring.example.com',
    links: [{ href: 'https://wiki.example.com/disk', text: 'Runbook' }],
    images: [{ src: 'https://www.example.com/logo.png', href: 'https://example.com/', alt: 'Example text' }],
    payload: {
      summary: 'Disk of db-1 is full',
      timestamp: '2026-11-30T08:42:58.315+0000',
      source: 'db-1.example.com',
      severity: 'error',
      component: 'postgres',
      group: 'prod-datapipe',
      class: 'disk',
      custom_details: { 'ping time': '1500ms', 'load avg': 0.75, disk: { mount: '/var' } },
    },
  },
  sns: snsOf(cloudwatch),
  uptimeKuma: {
    heartbeat: {
      monitorID: 29,
      status: 0,
      time: '2026-11-30 09:51:35.527',
      msg: 'connect ECONNREFUSED',
      important: true,
      duration: 60,
    },
    monitor: kumaMonitor,
    msg: '[Shop] [🔴 Down] connect ECONNREFUSED',
  },
  zabbix: {
    event_id: '4711',
    event_source: '0',
    event_value: '1',
    event_name: 'Disk space is low on db-1',
    event_severity: 'High',
    event_tags: '[{"tag":"scope","value":"capacity"},{"tag":"production","value":""}]',
    event_timestamp: '1796032263',
    update_status: '0',
    update_action: '{EVENT.UPDATE.ACTION}',
    update_message: '{EVENT.UPDATE.MESSAGE}',
    operational_data: '97.1 %',
    message: 'Problem started at 10:51:03',
    trigger_id: '23456',
    zabbix_url: 'https://zabbix.example/',
    host: 'db-1',
    host_ip: '192.0.2.11',
    user: '{USER.FULLNAME}',
  },
} satisfies Record<FormatName, object>

export const CLOUDWATCH = cloudwatch
