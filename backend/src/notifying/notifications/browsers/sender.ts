import { roleHas, toTimestamp } from '@vedette/shared'
import { inTransaction, type Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { abandonJob, attemptJob, completeJob, createLanes, deleteJobs, type Lanes } from '../../../platform/queue/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { toMessage } from '../deliveries/deliver.ts'
import { type Delivery, type NotificationContent, PUSHES, readContent } from '../deliveries/store.ts'
import { DeliveryError } from '../messages/delivery.ts'
import { BrowserGoneError, deliverPush, type PushDeps, type PushMessage } from './deliver.ts'
import * as store from './store.ts'

export interface PushSenderDeps extends PushDeps {
  db: Db
  clock: Clock
  log: Log
  ending: AbortSignal
}

/** Sends the steps of incidents to browsers, each browser on its own. */
export const createPushSender = (deps: PushSenderDeps): Lanes => createLanes(deps, PUSHES, (delivery) => sendPush(deps, delivery))

async function sendPush(deps: PushSenderDeps, delivery: Delivery): Promise<void> {
  const { db, log } = deps
  const browserId = delivery.lane as string
  const browser = await store.findRecipient(db, delivery.organization, browserId)
  if (!browser) {
    await deleteJobs(db, PUSHES.table, delivery.organization, { lane: browserId })
    return
  }
  const ids = { browser: encodeId('pushSubscription', browserId), notification: encodeId('notification', delivery.id) }
  await attemptJob(deps, PUSHES, delivery, {
    attempt: () => attemptPush(deps, browser, delivery),
    onRetry: (_job, error, nextAttemptAt) =>
      log.warn({ ...ids, reason: error.message, next_attempt_at: nextAttemptAt }, 'A push service did not accept a notification'),
    abandon: async (_job, error) => {
      await abandonJob(db, PUSHES, delivery, () => Promise.resolve())
      log.error({ ...ids, reason: error.message }, 'A notification to a browser failed for a day and is given up')
    },
  })
}

/** Resolves with the reason where the push service did not accept it. */
async function attemptPush(deps: PushSenderDeps, browser: store.RecipientRow, delivery: Delivery): Promise<Error | undefined> {
  const { db, clock, log, ending } = deps
  const content = await readContent(db, delivery)
  try {
    if (content) await deliverPush(deps, browser, toPushMessage(browser, delivery, content), clock.now())
    await inTransaction(db, async (transaction) => {
      await completeJob(transaction, PUSHES, delivery)
      if (browser.last_error !== null) await store.clearBrowserFailure(transaction, browser.id)
    })
    return undefined
  } catch (error) {
    if (error instanceof BrowserGoneError) {
      await store.deleteBrowser(db, browser.user_id, browser.id)
      await deleteJobs(db, PUSHES.table, delivery.organization, { lane: browser.id })
      log.info(
        { browser: encodeId('pushSubscription', browser.id), reason: error.message },
        'Removed a browser that has unsubscribed',
      )
      return undefined
    }
    if (!(error instanceof DeliveryError)) throw error
    const { code, message } = error
    if (!ending.aborted) await store.recordBrowserFailure(db, browser.id, { at: toTimestamp(clock.now()), code, message })
    return error
  }
}

function toPushMessage(browser: store.RecipientRow, delivery: Delivery, notification: NotificationContent): PushMessage {
  const { content, data } = toMessage(delivery, notification, undefined)
  const incident = data.incident?.id ?? ''
  const canAcknowledge = data.incident?.status === 'open' && roleHas(browser.role, 'monitors:update')
  return {
    content,
    path: `/incidents/${incident}`,
    tag: incident,
    quiet: notification.type === 'incident.acknowledged',
    ...(canAcknowledge && { acknowledge: { organization: encodeId('organization', browser.organization_id), incident } }),
  }
}
