import type { Db } from '../platform/db/index.ts'

export interface AuditRow {
  id: string
  actorKind: 'user' | 'api_key' | 'system'
  actorId: string | null
  action: string
  targetType: string | null
  targetId: string | null
  ip: string
  details: object
}

export async function insertAuditEvent(db: Db, organization: number, row: AuditRow, at: Date): Promise<void> {
  await db
    .insertInto('audit_event')
    .values({
      organization,
      id: row.id,
      at,
      actor_kind: row.actorKind,
      actor_id: row.actorId,
      action: row.action,
      target_type: row.targetType,
      target_id: row.targetId,
      ip: row.ip,
      details: JSON.stringify(row.details),
    })
    .execute()
}
