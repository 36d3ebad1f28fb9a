/** What sends alerts. */
export const ALERT_SOURCE_TYPES = [
  'alertmanager',
  'alertmanager_api',
  'grafana',
  'sns',
  'pagerduty_v2',
  'opsgenie',
  'zabbix',
  'checkmk',
  'icinga2',
  'uptime_kuma',
  'generic',
  'email',
] as const
export type AlertSourceType = (typeof ALERT_SOURCE_TYPES)[number]

/** Of one organization. */
export const MAX_ALERT_SOURCES = 100
export const MAX_SOURCE_OPEN = { minimum: 1, maximum: 20_000, default: 1_000 } as const
export const RESOLVE_AFTER_SECONDS = { minimum: 300, maximum: 604_800 } as const
export const MAX_SEVERITY_WORDS = 50
export const MAX_SEVERITY_WORD_LENGTH = 64
/** Labels whose values become tags, and those that make alerts one story. */
export const MAX_SOURCE_LABELS = 10
/** Routes of a source, and labels of one. */
export const MAX_SOURCE_ROUTES = 50
export const MAX_SOURCE_TEMPLATE_LENGTH = 2_000
/** Of one alert; more are cut and counted. */
export const MAX_ALERT_LABELS = 64
/** Of a name or a value. */
export const MAX_ALERT_LABEL_BYTES = 256
/** Of `tag=label:team=shop`. */
export const MAX_LABEL_TAG_LENGTH = 'label:='.length + 2 * MAX_ALERT_LABEL_BYTES
/** The last requests of a source that are kept, and how much of each. */
export const MAX_ALERT_SAMPLES = 10
export const ALERT_SAMPLE_BYTES = 8_192
/** Ended alerts of another tool that one request adds, and how long ago they may have begun: as long as incidents are kept. */
export const MAX_HISTORY_ALERTS = 500
export const ALERT_HISTORY_DAYS = 400
/** Of one ended alert. */
export const MAX_HISTORY_COMMENTS = 50
