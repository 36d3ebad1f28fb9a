import {
  type CreatedSubscriber,
  type CreateSubscriberBody,
  HOUR_MS,
  MAX_SUBSCRIBERS,
  MINUTE_MS,
  type Subscriber,
  type SubscriberList,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { allows, type Principal, tenantOf } from '../../../access/auth/index.ts'
import type { Outbox } from '../../../notifying/mail/index.ts'
import { completeConfig, encryptConfig, maskConfig } from '../../../notifying/notifications/index.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { ApiError, conflict, invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, newId, newRandomId, parseId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { readPageMonitors } from '../reading/store.ts'
import { findPage, lockPage } from '../pages/store.ts'
import { type LinkDeps, subscribedMail } from './letters.ts'
import * as store from './store.ts'
import type { SubscriberKey } from './tokens.ts'

export interface SubscriberDeps {
  db: Db
  clock: Clock
  /** Of the secrets of channels. */
  encrypter: Encrypter
}

/** One page of the subscribers of a page, newest first. Throws not_found across organizations. */
export async function listSubscribers(
  { db }: SubscriberDeps,
  principal: Principal,
  pageId: string,
  request: PageRequest,
): Promise<SubscriberList> {
  const { number } = tenantOf(principal)
  if (!(await findPage(db, number, pageId))) throw notFound()
  const { total, rows } = await store.listSubscribers(db, number, pageId, request)
  const subscribers = rows.map((row) => toSubscriber(row, allows(principal, 'monitors:update')))
  return { subscribers, total, page: request.page, limit: request.limit }
}

/** Adds a service. Throws not_found across organizations, validation_error, and conflict where the page has too many. */
export async function createSubscriber(
  { db: outer, clock, encrypter }: SubscriberDeps,
  actor: Actor<Principal>,
  pageId: string,
  { type, url, monitors: named = [] }: CreateSubscriberBody,
): Promise<CreatedSubscriber> {
  const { number } = tenantOf(actor.principal)
  return inTransaction(outer, async (db) => {
    const page = await lockPage(db, number, pageId)
    if (!page) throw notFound()
    const allowed = new Set((await readPageMonitors(db, number, page)).map(({ id }) => id))
    const monitors = named.map((id) => parseId('monitor', id))
    const faults = monitors.flatMap((id, index) =>
      id !== undefined && allowed.has(id) ? [] : [{ path: `monitors.${index}`, message: 'is not a monitor of this status page' }],
    )
    if (faults.length > 0) throw invalid(...faults)
    const { config, generated } = await completeConfig(type, { url }, { prefix: '' })
    if (await isFull(db, number, pageId)) throw conflict(`At most ${MAX_SUBSCRIBERS} subscribers per status page are allowed.`)
    const [id, at] = [newId(), new Date(clock.now())]
    const times = { confirmed_at: at, mailed_at: null, created_at: at }
    const row = {
      id,
      type,
      email: null,
      ...encryptConfig(encrypter, { id, type }, config),
      monitors: monitors as string[],
      ...times,
    }
    await store.insertSubscriber(db, number, pageId, row)
    const details = { type, page_id: encodeId('statusPage', pageId) }
    await recordAudit(db, number, actor, auditEntry('status_subscriber.created', 'subscriber', id, details), at)
    return { ...toSubscriber(row, true), secret: generated.secret ?? null }
  })
}

/** Throws not_found across organizations. */
export async function deleteSubscriber(
  { db: outer, clock }: SubscriberDeps,
  actor: Actor<Principal>,
  pageId: string,
  id: string,
): Promise<void> {
  const { number } = tenantOf(actor.principal)
  await inTransaction(outer, async (db) => {
    const type = await store.deleteSubscriber(db, { organization: number, pageId, id })
    if (type === undefined) throw notFound()
    const details = { type, page_id: encodeId('statusPage', pageId) }
    const entry = auditEntry('status_subscriber.deleted', 'subscriber', id, details)
    await recordAudit(db, number, actor, entry, new Date(clock.now()))
  })
}

/** Whether a page takes no further subscribers. */
export const isFull = async (db: Db, organization: number, pageId: string): Promise<boolean> =>
  (await store.countSubscribers(db, organization, pageId, MAX_SUBSCRIBERS)) === MAX_SUBSCRIBERS

export interface SubscribeDeps extends LinkDeps {
  db: Db
  clock: Clock
  outbox: Outbox
}

/**
 * Mails a link to an address: to confirm a new subscription, or to change the one that it has. The caller does not learn which. False
 * where the page has too many subscribers.
 */
export async function subscribe(
  deps: SubscribeDeps,
  { organization, pageId }: Omit<SubscriberKey, 'id'>,
  address: string,
): Promise<boolean> {
  const email = address.toLowerCase()
  return inTransaction(deps.db, async (db) => {
    const page = await findPage(db, organization, pageId)
    if (!page || (await isFull(db, organization, pageId))) return false
    const at = new Date(deps.clock.now())
    // Random: the id does not reveal when somebody subscribed.
    const created = { id: newRandomId(), type: 'email' as const, email, config: {}, secrets_encrypted: null, monitors: [] }
    await store.insertSubscriber(db, organization, pageId, { ...created, confirmed_at: null, mailed_at: null, created_at: at })
    const row = await store.findByEmail(db, organization, pageId, email)
    if (!row || (row.mailed_at !== null && at.getTime() - row.mailed_at.getTime() < MAIL_EVERY_MS)) return true
    const key = { organization, pageId, id: row.id }
    // An address may hear of this page only so often. The caller learns nothing: the answer must not differ by address.
    const mail = subscribedMail(deps, page, key, email, row.confirmed_at !== null)
    try {
      await deps.outbox.put(db, { organization, kind: 'subscriber', id: row.id }, mail, at)
      await store.updateSubscriber(db, key, { mailed_at: at })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
      if (row.mailed_at === null) await store.deleteSubscriber(db, key)
    }
    return true
  })
}

/** Nobody can fill somebody else's mailbox. */
const MAIL_EVERY_MS = 10 * MINUTE_MS
const UNCONFIRMED_MS = 24 * HOUR_MS

/** Deletes addresses that were not confirmed in a day. */
export const deleteUnconfirmed = (db: Db, nowMs: number): Promise<void> =>
  store.deleteUnconfirmed(db, new Date(nowMs - UNCONFIRMED_MS))

function toSubscriber(row: store.SubscriberRow, mayChange: boolean): Subscriber {
  const url = row.type === 'email' || row.type === 'browser' ? undefined : maskConfig(row.type, row.config, mayChange).url
  return {
    id: encodeId('subscriber', row.id),
    type: row.type,
    email: mayChange ? row.email : null,
    url: url ?? null,
    monitors: row.monitors.map((id) => encodeId('monitor', id)),
    confirmed_at: row.confirmed_at && toTimestamp(row.confirmed_at.getTime()),
    created_at: toTimestamp(row.created_at.getTime()),
  }
}
