import type { AlertSourceType } from '@vedette/shared'
import { alertmanager } from './alertmanager.ts'
import type { AlertFormat } from './format.ts'
import { generic } from './generic.ts'
import { grafana } from './grafana.ts'
import { monitoringCore } from './monitoring-core.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { uptimeKuma } from './uptime-kuma.ts'
import { zabbix } from './zabbix.ts'

/** The readers of what senders post to the address of their source. The API of Alertmanager and mails have ways of their own. */
export const FORMATS: Readonly<Partial<Record<AlertSourceType, AlertFormat>>> = {
  alertmanager,
  grafana,
  pagerduty_v2: pagerduty,
  opsgenie,
  zabbix,
  checkmk: monitoringCore,
  icinga2: monitoringCore,
  uptime_kuma: uptimeKuma,
  generic,
}
