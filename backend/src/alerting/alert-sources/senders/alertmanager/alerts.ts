import { MINUTE_MS, toTimestamp } from '@vedette/shared'
import type { Matcher } from '../../../../querying/promql/index.ts'
import { matches } from '../../../../querying/promql/index.ts'
import { encodeId } from '../../../../platform/ids.ts'
import { isSilenceOf, type SilenceRow } from '../../../alerts/index.ts'
import { fingerprintOf } from '../../formats/alertmanager.ts'
import type { OpenAlertRow, ReceivingSource } from '../../store.ts'

// Answers as `api/v2/openapi.yaml` of Alertmanager 0.28 describes them. All pure.

export interface GettableAlert {
  annotations: Record<string, string>
  endsAt: string
  fingerprint: string
  receivers: { name: string }[]
  startsAt: string
  status: { state: 'active' | 'suppressed'; silencedBy: string[]; inhibitedBy: string[]; mutedBy: string[] }
  updatedAt: string
  generatorURL?: string
  labels: Record<string, string>
}

/** An alert without an end of its own goes on for as long as by default in Alertmanager. */
const END_MS = 5 * MINUTE_MS
const FINGERPRINT = /^[0-9a-f]{16}$/

export function toGettableAlert(
  source: Pick<ReceivingSource, 'name' | 'last_received_at'>,
  silences: readonly SilenceRow[],
  { at, external, evidence, summary, parent_id: parent, ends_at: endsAt }: OpenAlertRow,
  nowMs: number,
): GettableAlert {
  const { key, started_at: startedAt, text } = evidence
  const silencedBy = silences.filter((silence) => isSilenceOf(silence, external.labels)).map(({ id }) => id)
  const inhibitedBy = parent === null ? [] : [encodeId('incident', parent)]
  return {
    annotations: { summary, ...(typeof text === 'string' && { description: text }) },
    endsAt: toTimestamp(endsAt?.getTime() ?? nowMs + END_MS),
    fingerprint: typeof key === 'string' && FINGERPRINT.test(key) ? key : fingerprintOf(external.labels),
    receivers: [{ name: source.name }],
    startsAt: typeof startedAt === 'string' ? startedAt : toTimestamp(at.getTime()),
    status: { state: silencedBy.length + inhibitedBy.length > 0 ? 'suppressed' : 'active', silencedBy, inhibitedBy, mutedBy: [] },
    updatedAt: toTimestamp(Math.max(at.getTime(), source.last_received_at?.getTime() ?? 0)),
    ...(external.url !== null && { generatorURL: external.url }),
    labels: external.labels,
  }
}

export interface AlertFilter {
  active: boolean
  silenced: boolean
  inhibited: boolean
  matchers: readonly Matcher[]
}

export const isListed = ({ active, silenced, inhibited, matchers }: AlertFilter, { status, labels }: GettableAlert): boolean =>
  (active || status.state !== 'active') &&
  (silenced || status.silencedBy.length === 0) &&
  (inhibited || status.inhibitedBy.length === 0) &&
  matches(matchers, labels)

/** By the labels that the source groups by. */
export function groupAlerts(
  { name, group_by: names }: Pick<ReceivingSource, 'name' | 'group_by'>,
  alerts: readonly GettableAlert[],
) {
  const labelsOf = ({ labels }: GettableAlert) => Object.fromEntries(names.flatMap((label) => pairOf(labels, label)))
  const groups = Map.groupBy(alerts, (alert) => JSON.stringify(labelsOf(alert)))
  return [...groups].map(([labels, members]) => ({
    labels: JSON.parse(labels) as Record<string, string>,
    receiver: { name },
    alerts: members,
  }))
}

const pairOf = (labels: Readonly<Record<string, string>>, name: string): [string, string][] => {
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined
  return value === undefined ? [] : [[name, value]]
}

/** `config.original` is YAML, and JSON is YAML. */
export const toStatus = (
  { name, group_by: names }: Pick<ReceivingSource, 'name' | 'group_by'>,
  version: string,
  startedMs: number,
) => ({
  cluster: { status: 'disabled', peers: [] },
  versionInfo: { version: '0.28.0', revision: version, branch: 'vedette', buildUser: '', buildDate: '', goVersion: '' },
  config: { original: JSON.stringify({ route: { receiver: name, group_by: names }, receivers: [{ name }] }) },
  uptime: toTimestamp(startedMs),
})
