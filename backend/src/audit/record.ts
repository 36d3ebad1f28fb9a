import type { IdKind } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { insertAuditEvent } from './store.ts'

/** Whoever acts, by kind and stored id; every principal is one. The installation itself and its command line are `system`. */
export type Acting =
  | { kind: 'user'; userId: string }
  | { kind: 'api_key'; keyId: string }
  | { kind: 'server'; serverId: string }
  | 'system'

/** Who does it, and from where. */
export interface Actor {
  principal: Acting
  ip: string
}

export interface AuditEntry {
  /** Noun and verb: `server.deleted`, `member.role_changed`. */
  action: string
  /** What it was done to; the id as it is stored. */
  target?: { kind: IdKind; id: string }
  /** What a reader needs to understand it; never a secret. */
  details?: object
}

/** Writes down who did what. Call it with the transaction that does it: the one is not stored without the other. */
export async function recordAudit(db: Db, organization: number, actor: Actor, entry: AuditEntry, at: Date): Promise<void> {
  const { action, target, details = {} } = entry
  await insertAuditEvent(
    db,
    organization,
    {
      id: newId(),
      ...actorOf(actor.principal),
      action,
      targetType: target?.kind ?? null,
      targetId: target?.id ?? null,
      ip: actor.ip,
      details,
    },
    at,
  )
}

function actorOf(principal: Acting) {
  if (principal === 'system') return { actorKind: 'system', actorId: null } as const
  switch (principal.kind) {
    case 'user':
      return { actorKind: 'user', actorId: principal.userId } as const
    case 'api_key':
      return { actorKind: 'api_key', actorId: principal.keyId } as const
    case 'server':
      return { actorKind: 'system', actorId: principal.serverId } as const
  }
}
