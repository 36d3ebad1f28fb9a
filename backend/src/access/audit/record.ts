import type { ActorType, IdKind } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { insertAuditEvents } from './store.ts'

/** An actor by kind and stored id; every principal is one. `system` is the installation itself and its command line. */
export type Acting =
  | { kind: 'user'; userId: string }
  | { kind: 'api_key'; keyId: string }
  | { kind: 'server'; serverId: string }
  | { kind: 'enrollment_token'; tokenId: string }
  | 'system'

/** An actor with its address. */
export interface Actor<Principal extends Acting = Acting> {
  principal: Principal
  /** Address of the client; null for the installation itself. */
  ip: string | null
}

/** The installation itself, or its operator at the command line. */
export const SYSTEM: Actor = { principal: 'system', ip: null }

export interface AuditEntry {
  /** Noun and verb: `server.deleted`, `member.role_changed`. */
  action: string
  /** The object of the action, with its stored id. */
  target?: { kind: IdKind; id: string }
  /** Further fields of the action; never a secret. */
  details?: object
}

export const auditEntry = (action: string, kind: IdKind, id: string, details: object): AuditEntry => ({
  action,
  target: { kind, id },
  details,
})

/** Records an action. Call it in the transaction of the action, so that both are stored or neither. */
export function recordAudit(db: Db, organization: number, actor: Actor, entry: AuditEntry, at: Date): Promise<void> {
  return recordAudits(db, organization, actor, [entry], at)
}

/** As `recordAudit`, for several actions in one statement. */
export async function recordAudits(
  db: Db,
  organization: number,
  actor: Actor,
  entries: readonly AuditEntry[],
  at: Date,
): Promise<void> {
  const events = entries.map(({ action, target, details = {} }) => ({
    id: newId(),
    ...actorOf(actor.principal),
    action,
    targetKind: target?.kind ?? null,
    targetId: target?.id ?? null,
    ip: actor.ip,
    details,
  }))
  if (events.length > 0) await insertAuditEvents(db, organization, events, at)
}

/** An actor as both logs store it. */
export function actorOf(principal: Exclude<Acting, 'system'>): { actorKind: ActorType; actorId: string }
export function actorOf(principal: Acting): { actorKind: ActorType; actorId: string | null }
export function actorOf(principal: Acting): { actorKind: ActorType; actorId: string | null } {
  if (principal === 'system') return { actorKind: 'system', actorId: null }
  switch (principal.kind) {
    case 'user':
      return { actorKind: 'user', actorId: principal.userId }
    case 'api_key':
      return { actorKind: 'api_key', actorId: principal.keyId }
    case 'server':
      return { actorKind: 'server', actorId: principal.serverId }
    case 'enrollment_token':
      return { actorKind: 'enrollment_token', actorId: principal.tokenId }
  }
}
