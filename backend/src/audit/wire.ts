import { type ActorType, type AuditEvent, type IdKind, toTimestamp } from '@vedette/shared'
import { encodeId, parseId } from '../platform/ids.ts'
import type { AuditRow } from './store.ts'

const ACTOR_KIND = { user: 'user', api_key: 'apiKey', server: 'server' } as const

/** `api_key` of `apiKey`. */
const toTargetType = (kind: IdKind): string => kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function toAuditEvent(row: AuditRow): AuditEvent {
  const { actor_kind: type, actor_id: actorId, target_type: targetKind, target_id: targetId } = row
  return {
    id: encodeId('auditEvent', row.id),
    at: toTimestamp(row.at.getTime()),
    actor: {
      type,
      id: type === 'system' || actorId === null ? null : encodeId(ACTOR_KIND[type], actorId),
      name: row.actor_name,
      email: row.actor_email,
    },
    action: row.action,
    target: targetKind && targetId ? { type: toTargetType(targetKind), id: encodeId(targetKind, targetId) } : null,
    ip: row.ip,
    details: row.details as Record<string, unknown>,
  }
}

/** Whom a filter means; undefined for an id that nobody can have. */
export function parseActor(text: string): { kind: ActorType; id: string | null } | undefined {
  if (text === 'system') return { kind: 'system', id: null }
  for (const [type, kind] of Object.entries(ACTOR_KIND)) {
    const id = parseId(kind, text)
    if (id !== undefined) return { kind: type as ActorType, id }
  }
  return undefined
}
