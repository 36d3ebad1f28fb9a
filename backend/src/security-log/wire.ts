import { type SecurityEvent, toTimestamp } from '@vedette/shared'
import { toActor } from '../audit/index.ts'
import { encodeId } from '../platform/ids.ts'
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
