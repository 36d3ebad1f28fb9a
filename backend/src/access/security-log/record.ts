import { type Acting, type Actor, actorOf, type AuditEntry, recordAudit } from '../audit/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import { insertSecurityEvents, type NewEventRow } from './store.ts'

export type SecurityEventType =
  | 'sign_in.succeeded'
  | 'sign_in.failed'
  | 'second_factor.started'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'second_factor.failed'
  | 'passkey.added'
  | 'passkey.removed'
  | 'password.changed'
  | 'password.reset'
  | 'password.reset_requested'
  | 'password.wrong'
  | 'email.change_requested'
  | 'email.changed'
  | 'email.verified'
  | 'email.released'
  | 'session.ended'
  | 'session.new_network'
  | 'session.reuse_detected'
  | 'user.created'
  | 'user.deleted'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.left'
  | 'member.removed'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'enrollment_token.created'
  | 'enrollment_token.revoked'
  | 'api_key.new_network'
  | 'server.token_regenerated'
  | 'channel.tested'
  | 'probe_token.created'
  | 'probe_token.replaced'
  | 'organization.renamed'
  | 'organization.plan_changed'
  | 'organization.setting_changed'
  | 'organization.deleted'
  | 'installation.set_up'
  | 'installation.setting_changed'

export interface NewSecurityEvent {
  type: SecurityEventType
  /** Who did it; of what failed, the account that was tried. Undefined if there is none. */
  principal: Acting | undefined
  /** Whose account it concerns: the organizations of this user see the event. */
  userId?: string | undefined
  /** The organization that it concerns, and that alone sees it. */
  organization?: number | undefined
  ip: string | null
  userAgent?: string | undefined
  /** Further fields of the type; never a secret. */
  details?: object
}

/** Records an event. Call it in the transaction of what it reports; of what was refused, outside of one that is rolled back. */
export async function recordSecurityEvent(db: Db, event: NewSecurityEvent, at: Date): Promise<void> {
  await insertSecurityEvents(db, [toRow(event, at)])
}

/** As `recordSecurityEvent`, for several events in one statement. */
export async function recordSecurityEvents(db: Db, events: readonly NewSecurityEvent[], at: Date): Promise<void> {
  await insertSecurityEvents(
    db,
    events.map((event) => toRow(event, at)),
  )
}

function toRow(event: NewSecurityEvent, at: Date): NewEventRow {
  const { type, principal, userId, organization, ip, userAgent, details = {} } = event
  const actor = principal && actorOf(principal)
  return {
    id: newId(),
    at,
    type,
    user_id: userId ?? null,
    organization: organization ?? null,
    actor_kind: actor?.actorKind ?? null,
    actor_id: actor?.actorId ?? null,
    ip,
    user_agent: userAgent === undefined ? null : cleanUserAgent(userAgent),
    details: JSON.stringify(details),
  }
}

/** Records an action of an organization in both logs, in the transaction of the action. */
export async function recordSecurityAudit(
  db: Db,
  organization: number,
  actor: Actor,
  entry: AuditEntry & { action: SecurityEventType },
  at: Date,
): Promise<void> {
  const { action: type, target } = entry
  const details = { ...(target && { id: encodeId(target.kind, target.id) }), ...entry.details }
  const { principal, ip } = actor
  await recordSecurityEvent(db, { type, principal, ip, organization, details }, at)
  await recordAudit(db, organization, actor, entry, at)
}

/** Longer than that of any browser. */
const USER_AGENT_LENGTH = 256

/** It is shown to people: without control characters and characters that change the text direction. */
export function cleanUserAgent(text: string): string {
  const visible = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return Array.from(visible).slice(0, USER_AGENT_LENGTH).join('')
}
