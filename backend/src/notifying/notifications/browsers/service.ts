import { hash } from 'node:crypto'
import {
  type ChannelTest,
  type PushSubscriptionBody,
  type PushSubscriptionItem,
  type PushSubscriptionList,
  toTimestamp,
} from '@vedette/shared'
import { lockUser, type UserPrincipal } from '../../../access/auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { conflict, invalid, notFound, unauthorized } from '../../../platform/errors.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { cleanUserAgent } from '../../../access/security-log/index.ts'
import { DeliveryError } from '../messages/delivery.ts'
import { BrowserGoneError, deliverPush, type PushDeps } from './deliver.ts'
import { isOnCurve } from './encryption.ts'
import * as store from './store.ts'
import type { StoredSubscription } from './vapid.ts'

/** The browsers of a user. */
const MAX_BROWSERS = 20

export interface BrowserDeps extends PushDeps {
  db: Db
  clock: Clock
}

/** The browsers of the caller, newest first, and the key for which a browser subscribes. */
export async function listBrowsers(
  { db, keys }: BrowserDeps,
  { userId }: UserPrincipal,
  { page, limit }: PageRequest,
): Promise<PushSubscriptionList> {
  const { total, rows } = await store.listBrowsers(db, userId, { page, limit })
  return { push_subscriptions: rows.map(toItem), public_key: keys[0].publicKey, total, page, limit }
}

/** A subscription as it is stored under an id. Throws validation_error for an endpoint or a key that is none. */
export function encryptBrowser(
  { encrypter, keys }: Pick<PushDeps, 'encrypter' | 'keys'>,
  id: string,
  { endpoint, keys: browserKeys }: PushSubscriptionBody,
): { endpointHash: Buffer; encrypted: Buffer } {
  if (!URL.canParse(endpoint)) throw invalid({ path: 'endpoint', message: 'must be a URL' })
  if (!isOnCurve(Buffer.from(browserKeys.p256dh, 'base64url')))
    throw invalid({ path: 'keys.p256dh', message: 'must be a public key of P-256, uncompressed' })
  const subscription: StoredSubscription = { endpoint, keys: browserKeys, publicKey: keys[0].publicKey }
  const encrypted = encrypter.encrypt(Buffer.from(JSON.stringify(subscription)), id)
  return { endpointHash: hash('sha256', endpoint, 'buffer'), encrypted }
}

/**
 * Stores a browser of the caller, until the session is ended. One that is stored already, also for another user, is replaced.
 * Throws conflict for more than 20, validation_error for a key that is none.
 */
export async function addBrowser(
  deps: BrowserDeps,
  { userId, sessionId }: UserPrincipal,
  subscription: PushSubscriptionBody,
  userAgent: string,
): Promise<PushSubscriptionItem> {
  const id = newId()
  const { endpointHash, encrypted } = encryptBrowser(deps, id, subscription)
  return inTransaction(deps.db, async (db) => {
    if ((await lockUser(db, userId)) === undefined) throw unauthorized()
    if ((await store.countOthers(db, userId, endpointHash)) >= MAX_BROWSERS)
      throw conflict(`You have ${MAX_BROWSERS} browsers with notifications, the most there may be. Remove one first.`)
    await store.deleteEndpoint(db, endpointHash)
    const at = new Date(deps.clock.now())
    const browser = { id, userId, sessionId, endpointHash, encrypted, userAgent: cleanUserAgent(userAgent), at }
    return toItem(await store.insertBrowser(db, browser))
  })
}

/** Throws not_found for an unknown one, or another user's. */
export async function removeBrowser({ db }: BrowserDeps, { userId }: UserPrincipal, id: string): Promise<void> {
  if (!(await store.deleteBrowser(db, userId, id))) throw notFound()
}

/** Sends a test notification, once; a refusal is a result. A browser that has unsubscribed is removed. Throws not_found. */
export async function testBrowser(deps: BrowserDeps, { userId }: UserPrincipal, id: string): Promise<ChannelTest> {
  const { db, clock } = deps
  const browser = await store.findBrowser(db, userId, id)
  if (!browser) throw notFound()
  const content = {
    title: 'Test of the notifications',
    lines: ['This browser shows notifications of incidents.'],
    tone: 'info',
  } as const
  try {
    const { status } = await deliverPush(deps, browser, { content, path: '/settings', tag: 'test', quiet: false }, clock.now())
    await store.clearBrowserFailure(db, id)
    return { delivered: true, status_code: status, answer: null, error: null }
  } catch (error) {
    if (error instanceof BrowserGoneError) {
      await store.deleteBrowser(db, userId, id)
      return { delivered: false, status_code: null, answer: null, error: { code: 'refused', message: error.message } }
    }
    if (!(error instanceof DeliveryError)) throw error
    const { code, message, response } = error
    await store.recordBrowserFailure(db, id, { at: toTimestamp(clock.now()), code, message })
    return { delivered: false, status_code: response?.status ?? null, answer: null, error: { code, message } }
  }
}

const toItem = ({ id, endpoint_hash, user_agent, created_at, last_error }: store.BrowserRow): PushSubscriptionItem => ({
  id: encodeId('pushSubscription', id),
  endpoint_sha256: endpoint_hash.toString('hex'),
  user_agent,
  created_at: toTimestamp(created_at.getTime()),
  last_error,
})
