import { type SecurityEvent, toTimestamp } from '@vedette/shared'
import { toActor } from '../audit/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { ExportedRow } from './export-store.ts'
import type { SecurityEventRow } from './store.ts'

export const toSecurityEvent = (row: SecurityEventRow): SecurityEvent => ({
  id: encodeId('securityEvent', row.id),
  at: toTimestamp(row.at.getTime()),
  type: row.type,
  actor: row.actor_kind && toActor(row.actor_kind, row),
  ip: row.ip,
  user_agent: row.user_agent,
  details: row.details as Record<string, unknown>,
})

/** An event as the operator and the sink get it. */
export type InstallationSecurityEvent = SecurityEvent & {
  /** Null for what concerns an account or the installation, and once the organization is deleted. */
  organization_id: string | null
  /** Whose account it concerns. */
  user_id: string | null
}

export const toInstallationEvent = (row: ExportedRow): InstallationSecurityEvent => ({
  ...toSecurityEvent(row),
  organization_id: row.organization_id && encodeId('organization', row.organization_id),
  user_id: row.user_id && encodeId('user', row.user_id),
})
