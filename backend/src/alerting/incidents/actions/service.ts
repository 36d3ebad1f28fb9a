import { hash } from 'node:crypto'
import { CHANNEL_TYPES, HOUR_MS, type IncidentItem } from '@vedette/shared'
import type { Actor } from '../../../access/audit/index.ts'
import {
  allows,
  findMembership,
  findUserById,
  languageOfOrganization,
  personText,
  tenantOf,
  unsignedMember,
  type UserPrincipal,
} from '../../../access/auth/index.ts'
import { findRecipientChannel, readActionLink } from '../../../notifying/notifications/index.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Language } from '../../../platform/language/index.ts'
import { acknowledgeIncident, type IncidentDeps, readIncidentItem, resolveIncidentManually } from '../service.ts'
import * as store from './store.ts'

export interface ActionDeps extends IncidentDeps {
  /** Of the links. */
  actionEncrypter: Encrypter
}

export const ACTIONS = ['acknowledge', 'snooze', 'resolve'] as const
export type Action = (typeof ACTIONS)[number]
export const isAction = (text: unknown): text is Action => ACTIONS.some((one) => one === text)

const SNOOZE_SECONDS = HOUR_MS / 1000

/** A link that is valid now. */
export interface OpenedLink {
  incident: IncidentItem
  principal: UserPrincipal
  /** Of the incident, a uuid. */
  incidentId: string
  expiresAt: Date
  /** Who acts, and by what: `by ada@example.com (ntfy)`. */
  by: string
  /** In which the message with the link was. */
  language: Language
}

/**
 * What a link lets its person do. Undefined where this installation did not make it, it has expired, the contact method is removed,
 * the incident is past its retention, or the person may not change incidents of the organization any more.
 */
export async function openLink({ db, clock, actionEncrypter }: ActionDeps, token: string): Promise<OpenedLink | undefined> {
  const link = readActionLink(actionEncrypter, token)
  if (!link || link.expiresMs <= clock.now()) return undefined
  const { organizationId, userId, channelId, incidentId, expiresMs } = link
  const membership = await findMembership(db, userId, organizationId)
  if (!membership) return undefined
  const principal = unsignedMember(userId, membership)
  if (!allows(principal, 'monitors:update')) return undefined
  // Also none where the organization refuses the person now.
  const contact = await findRecipientChannel(db, membership.tenant.number, channelId)
  const user = await findUserById(db, userId)
  if (contact?.user_id !== userId || !user) return undefined
  const incident = await readIncidentItem(db, membership.tenant, encodeId('incident', incidentId))
  const by = `by ${personText(user)} (${CHANNEL_TYPES[contact.type].label})`
  if (!incident) return undefined
  const language = await languageOfOrganization(db, membership.tenant.number)
  return { incident, principal, incidentId, expiresAt: new Date(expiresMs), by, language }
}

/** What a person does without being signed in, by a link or from a chat. */
export interface UnsignedAction {
  /** A uuid. */
  incidentId: string
  action: Action
  /** May be empty. */
  comment: string
  /** `by ada@example.com (ntfy)` */
  by: string
  /** SHA-256 of what it came by. */
  key: Buffer
  /** Until when the same key could come again. */
  expiresAt: Date
}

/**
 * Takes an action once for its key; false where it was taken before, also by another backend. An incident that is resolved stays as
 * it is.
 */
export async function takeActionOnce(
  deps: IncidentDeps,
  actor: Actor<UserPrincipal>,
  { incidentId, action, comment, by, key, expiresAt }: UnsignedAction,
): Promise<boolean> {
  return inTransaction(deps.db, async (db) => {
    if (!(await store.markUsed(db, tenantOf(actor.principal).number, key, action, expiresAt))) return false
    const own = { ...deps, db }
    const body = comment === '' ? {} : { comment }
    if (action === 'resolve') await resolveIncidentManually(own, actor, incidentId, body.comment, by)
    else
      await acknowledgeIncident(
        own,
        actor,
        incidentId,
        action === 'snooze' ? { ...body, snooze_seconds: SNOOZE_SECONDS } : body,
        by,
      )
    return true
  })
}

/** Takes an action of a link, once; false where it was taken before. The comment may be empty. */
export function act(
  deps: ActionDeps,
  token: string,
  { principal, incidentId, expiresAt, by }: OpenedLink,
  action: Action,
  comment: string,
  ip: string,
): Promise<boolean> {
  const key = hash('sha256', token, 'buffer')
  return takeActionOnce(deps, { principal, ip }, { incidentId, action, comment, by, key, expiresAt })
}
