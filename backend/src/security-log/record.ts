import { type Acting, actorOf } from '../audit/index.ts'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { insertSecurityEvent } from './store.ts'

export type SecurityEventType =
  | 'sign_in.succeeded'
  | 'sign_in.failed'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'second_factor.failed'
  | 'password.changed'
  | 'password.reset'
  | 'password.wrong'
  | 'session.ended'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'organization.deleted'

export interface NewSecurityEvent {
  type: SecurityEventType
  /** Who did it; of what failed, the account that was tried. Undefined if there is none. */
  principal: Acting | undefined
  /** Whose account it concerns: the organizations of this user see the event. */
  userId?: string | undefined
  /** The organization that it concerns, and that alone sees it. */
  organization?: number
  ip: string | null
  userAgent?: string | undefined
  /** Further fields of the type; never a secret. */
  details?: object
}

/** Records an event. Call it in the transaction of what it reports; of what was refused, outside of one that is rolled back. */
export async function recordSecurityEvent(db: Db, event: NewSecurityEvent, at: Date): Promise<void> {
  const { type, principal, userId, organization, ip, userAgent, details = {} } = event
  const actor = principal && actorOf(principal)
  await insertSecurityEvent(db, {
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
  })
}

/** Longer than that of any browser. */
const USER_AGENT_LENGTH = 256

/** It is shown to people: without control characters and characters that change the text direction. */
export function cleanUserAgent(text: string): string {
  const visible = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return Array.from(visible).slice(0, USER_AGENT_LENGTH).join('')
}
