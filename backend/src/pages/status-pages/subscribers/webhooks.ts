import { hash } from 'node:crypto'
import { HOUR_MS } from '@vedette/shared'
import { completeConfig, decryptConfig, deliver, DeliveryError, encryptConfig } from '../../../notifying/notifications/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { newRandomId } from '../../../platform/ids.ts'
import { lockPage } from '../pages/store.ts'
import { confirmMessage } from './letters.ts'
import { isFull, type SubscribeDeps } from './service.ts'
import { countUnconfirmedWebhooks, deleteSubscriber, findByHash, insertSubscriber, updateSubscriber } from './store.ts'
import type { SubscriberKey } from './tokens.ts'

export interface WebhookDeps extends SubscribeDeps {
  /** Delivers to webhooks that visitors gave. */
  hooks: Pick<Parameters<typeof deliver>[0], 'encrypter' | 'kinds' | 'send'>
}

/** Of a page: each got a request that nobody has confirmed. */
const MAX_UNCONFIRMED = 100
/** One that accepted a request gets the next after this time. */
const POST_EVERY_MS = 24 * HOUR_MS

/** Whether a visitor may give this address. Pure. */
export function isVisitorUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/**
 * Posts a link to a webhook: to confirm a new subscription, or to change the one that it has. The caller learns nothing of the answer.
 * False where the page takes no more.
 */
export async function subscribeWebhook(
  deps: WebhookDeps,
  { organization, pageId }: Omit<SubscriberKey, 'id'>,
  url: string,
): Promise<boolean> {
  const { db, clock, hooks } = deps
  const at = new Date(clock.now())
  const addressHash = hash('sha256', url, 'buffer')
  const id = newRandomId()
  const { config } = await completeConfig('webhook', { url }, { prefix: '' })
  const taken = await inTransaction(db, async (db) => {
    const page = await lockPage(db, organization, pageId)
    if (!page) return undefined
    if (!(await findByHash(db, organization, pageId, addressHash))) {
      const unconfirmed = await countUnconfirmedWebhooks(db, organization, pageId)
      if (unconfirmed >= MAX_UNCONFIRMED || (await isFull(db, organization, pageId))) return undefined
      const parts = encryptConfig(hooks.encrypter, { id, type: 'webhook' }, config)
      const created = { id, type: 'webhook' as const, email: null, ...parts, monitors: [], address_hash: addressHash }
      await insertSubscriber(db, organization, pageId, { ...created, confirmed_at: null, mailed_at: null, created_at: at })
    }
    const row = await findByHash(db, organization, pageId, addressHash)
    if (!row || (row.mailed_at !== null && at.getTime() - row.mailed_at.getTime() < POST_EVERY_MS)) return { page }
    await updateSubscriber(db, { organization, pageId, id: row.id }, { mailed_at: at })
    return { page, row }
  })
  if (!taken?.row) return taken !== undefined
  const { page, row } = taken
  const key = { organization, pageId, id: row.id }
  const channel = { ...row, type: 'webhook' as const, secrets_encrypted: row.secrets_encrypted as Buffer }
  const secret = decryptConfig(hooks.encrypter, channel).config.secret
  try {
    await deliver({ ...hooks, sendsMail: false, nowMs: () => clock.now() }, channel, confirmMessage(deps, page, key, secret, at))
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    // What did not accept it may be given again at once.
    if (row.confirmed_at === null) await deleteSubscriber(db, key)
    else await updateSubscriber(db, key, { mailed_at: row.mailed_at })
  }
  return true
}
