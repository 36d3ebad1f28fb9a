import { type ActorType, type AuditEvent, ID_PREFIX, type IdKind, toTimestamp } from '@vedette/shared'
import { encodeId, parseId } from '../../platform/ids.ts'
import type { AuditRow } from './store.ts'

const ACTOR_KIND = { user: 'user', api_key: 'apiKey', server: 'server', enrollment_token: 'enrollmentToken' } as const

/** `api_key` of `apiKey`. */
const toTargetType = (kind: IdKind): string => kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** An actor with the present name of a key and the present e-mail of a user. */
export function toActor(
  type: ActorType,
  row: { actor_id: string | null; actor_name: string | null; actor_email: string | null },
): AuditEvent['actor'] {
  return {
    type,
    id: type === 'system' || row.actor_id === null ? null : encodeId(ACTOR_KIND[type], row.actor_id),
    name: row.actor_name,
    email: row.actor_email,
  }
}

/** `names`: of targets by their stored ids. */
export function toAuditEvent(row: AuditRow, names: ReadonlyMap<string, string>): AuditEvent {
  const { target_type: targetKind, target_id: targetId } = row
  return {
    id: encodeId('auditEvent', row.id),
    at: toTimestamp(row.at.getTime()),
    actor: toActor(row.actor_kind, row),
    action: row.action,
    target: targetKind && targetId ? { type: toTargetType(targetKind), id: encodeId(targetKind, targetId) } : null,
    target_name: (targetId && names.get(targetId)) ?? null,
    ip: row.ip,
    details: row.details as Record<string, unknown>,
  }
}

/** The stored id of any kind of id; undefined for what is none. */
export function parseAnyId(text: string): string | undefined {
  const kind = (Object.keys(ID_PREFIX) as IdKind[]).find((each) => text.startsWith(`${ID_PREFIX[each]}_`))
  return kind && parseId(kind, text)
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
