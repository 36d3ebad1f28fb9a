import type { PushSubscriptionBody } from '@vedette/shared'
import {
  BrowserGoneError,
  DeliveryError,
  deliverPush,
  encryptBrowser,
  type PushDeps,
} from '../../../notifying/notifications/index.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { newRandomId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { findPage, lockPage } from '../pages/store.ts'
import { firstPush, type LinkDeps } from './letters.ts'
import { isFull } from './service.ts'
import { findByHash, insertSubscriber } from './store.ts'
import type { SubscriberKey } from './tokens.ts'

/** Whether visitors may subscribe at this push service. `hosts`: VEDETTE_PUSH_HOSTS. Pure. */
export function isPushHost(endpoint: string, hosts: string): boolean {
  const { protocol, host, username, password } = new URL(endpoint)
  if (hosts === 'none') return false
  const isNamed = hosts.split(',').some((named) => (named.startsWith('*.') ? host.endsWith(named.slice(1)) : host === named))
  return protocol === 'https:' && username === '' && password === '' && isNamed
}

/** Sends to those push services alone, also what is stored: a visitor named the endpoint. */
export const pushOfVisitors = ({ hosts, ...push }: PushDeps & { hosts: string }): PushDeps => ({
  ...push,
  send: async (request) => {
    if (!isPushHost(request.url, hosts)) throw new BrowserGoneError('its push service is not one of VEDETTE_PUSH_HOSTS')
    return push.send({ ...request, staysAtOrigin: true })
  },
})

export interface BrowserDeps extends LinkDeps {
  db: Db
  clock: Clock
  push: PushDeps
}

/**
 * Subscribes a browser once its push service has taken a first message for it, which shows that there is such a browser. One that is
 * subscribed already stays as it is. Throws validation_error for a key that is none.
 */
export async function subscribeBrowser(
  deps: BrowserDeps,
  { organization, pageId }: Omit<SubscriberKey, 'id'>,
  subscription: PushSubscriptionBody,
): Promise<SubscriberKey | 'full' | 'refused'> {
  const { db, clock, push } = deps
  const id = newRandomId()
  const { endpointHash, encrypted } = encryptBrowser(push, id, subscription)
  const page = await findPage(db, organization, pageId)
  const known = await findByHash(db, organization, pageId, endpointHash)
  if (known) return { organization, pageId, id: known.id }
  if (!page || (await isFull(db, organization, pageId))) return 'full'
  try {
    await deliverPush(push, { id, encrypted }, firstPush(deps, page), clock.now())
  } catch (error) {
    if (error instanceof BrowserGoneError || error instanceof DeliveryError) return 'refused'
    throw error
  }
  return inTransaction(db, async (db) => {
    if (!(await lockPage(db, organization, pageId)) || (await isFull(db, organization, pageId))) return 'full'
    const at = new Date(clock.now())
    const created = { id, type: 'browser' as const, email: null, config: {}, secrets_encrypted: null, monitors: [] }
    const times = { confirmed_at: at, mailed_at: null, created_at: at }
    const kept = { address_hash: endpointHash, browser_encrypted: encrypted }
    await insertSubscriber(db, organization, pageId, { ...created, ...times, ...kept })
    const row = await findByHash(db, organization, pageId, endpointHash)
    return row ? { organization, pageId, id: row.id } : 'full'
  })
}
