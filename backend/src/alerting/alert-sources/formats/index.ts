import type { AlertSourceType } from '@vedette/shared'
import { alertmanager } from './alertmanager.ts'
import { alertmanagerApi } from './alertmanager-api.ts'
import type { AlertFormat } from './format.ts'
import { generic } from './generic.ts'
import { grafana } from './grafana.ts'
import { monitoringCore } from './monitoring-core.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { sns } from './sns.ts'
import { uptimeKuma } from './uptime-kuma.ts'
import { zabbix } from './zabbix.ts'

/** The readers of what senders post. Mails are read by the server that takes them. */
export const FORMATS: Readonly<Record<Exclude<AlertSourceType, 'email'>, AlertFormat>> = {
  alertmanager,
  alertmanager_api: alertmanagerApi,
  grafana,
  sns,
  pagerduty_v2: pagerduty,
  opsgenie,
  zabbix,
  checkmk: monitoringCore,
  icinga2: monitoringCore,
  uptime_kuma: uptimeKuma,
  generic,
}
