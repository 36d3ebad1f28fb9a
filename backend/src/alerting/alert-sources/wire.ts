import { type AlertSource, type AlertSourceType, MASK, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import { INTAKE_PATH, OWN_PATHS } from './paths.ts'
import type { Receipt } from './store.ts'
import type { SourceRow } from './store.ts'

export interface WireContext {
  publicUrl: () => string
  /** What this process has counted and not stored. */
  pending?: Pick<Receipt, 'count' | 'lastAtMs'> | undefined
  /** Only where it was made. */
  token?: string | undefined
}

const OWN: Partial<Record<AlertSourceType, string>> = OWN_PATHS

/** For mails what stands before the domain, which the mail server in front knows. */
const addressOf = (type: AlertSourceType, url: string, token: string): string =>
  type === 'email' ? `alerts+${token}@` : `${url.replace(/\/$/, '')}${OWN[type] ?? INTAKE_PATH}/${token}`

export function toAlertSource(row: SourceRow, { publicUrl, pending, token }: WireContext): AlertSource {
  const storedMs = row.last_received_at?.getTime() ?? null
  const receivedMs = pending ? Math.max(pending.lastAtMs, storedMs ?? 0) : storedMs
  return {
    id: encodeId('alertSource', row.id),
    name: row.name,
    type: row.type,
    enabled: row.enabled,
    severity_map: row.severity_map,
    default_severity: row.default_severity,
    escalation_policy_id: row.escalation_policy_id && encodeId('escalationPolicy', row.escalation_policy_id),
    channel_ids: row.channel_ids.map((id) => encodeId('channel', id)),
    routes: row.routes.map(({ labels, policy_id: id }) => ({ labels, escalation_policy_id: encodeId('escalationPolicy', id) })),
    tags: row.tags,
    tag_labels: row.tag_labels,
    group_by: row.group_by,
    resolve_after_seconds: row.resolve_after_seconds,
    max_open: row.max_open,
    muted: row.muted,
    template: row.template,
    address: addressOf(row.type, publicUrl(), token ?? MASK),
    ...(token !== undefined && { token }),
    confirm: row.confirm && { topic: row.confirm.topic, url_host: new URL(row.confirm.url).host },
    last_received_at: receivedMs === null ? null : toTimestamp(receivedMs),
    received_count: row.received_count + (pending?.count ?? 0),
    managed: row.managed,
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
