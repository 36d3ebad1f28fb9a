import { hash } from 'node:crypto'
import { oneLine } from '@vedette/shared'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { requireAccepted } from '../kinds/post.ts'
import type { OutboundRequest, OutboundResponse } from '../messages/delivery.ts'
import type { MessageText } from '../messages/message.ts'
import { truncate, truncateBytes } from '../messages/texts.ts'
import { encryptFor } from './encryption.ts'
import type { BrowserRow } from './store.ts'
import { keyOf, type StoredSubscription, type VapidKey } from './vapid.ts'

export interface PushDeps {
  /** Of subscriptions. */
  encrypter: Encrypter
  /** Newest first. */
  keys: readonly [VapidKey, ...VapidKey[]]
  send(request: OutboundRequest): Promise<OutboundResponse>
  /** Base URL of the page, if this process knows it. */
  publicUrl: (() => string) | undefined
}

/** What a browser gets. `dashboard/public/sw.js` shows it, and to visitors the worker of their status page. */
export interface PushMessage {
  content: MessageText
  /** Path or URL of the page that a click opens. */
  path: string
  /** A later message of the same tag replaces the notification, and at the push service one that waits. */
  tag: string
  /** Shown without a sound. */
  quiet: boolean
  /** Where the user may acknowledge it. */
  acknowledge?: { organization: string; incident: string }
}

/** One that waits longer at the push service, for a browser that is off, is dropped. */
const TTL_SECONDS = 86_400
/** Together they stay below what can be encrypted, whatever JSON makes of them. */
const MAX_TITLE = 200
const MAX_BODY_BYTES = 800

/** The push service knows the browser no more: it has unsubscribed, or the key that it subscribed for is gone. */
export class BrowserGoneError extends Error {}

/** Sends a message to a browser. Throws DeliveryError; BrowserGoneError where it will never accept one again. */
export async function deliverPush(
  deps: PushDeps,
  browser: Pick<BrowserRow, 'id' | 'encrypted'>,
  message: PushMessage,
  nowMs: number,
): Promise<OutboundResponse> {
  const { encrypter, keys, send, publicUrl } = deps
  const stored = encrypter.decrypt(browser.encrypted, browser.id)
  const subscription = stored && (JSON.parse(stored.toString()) as StoredSubscription)
  const key = subscription && keyOf(subscription, keys)
  if (!key) throw new BrowserGoneError('the secret of the installation that it subscribed for is gone')
  const { endpoint } = subscription
  const [p256dh, auth] = [subscription.keys.p256dh, subscription.keys.auth].map((part) => Buffer.from(part, 'base64url'))
  const url = publicUrl?.()
  const response = await send({
    url: endpoint,
    headers: {
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      urgency: 'high',
      // At most 32 characters, and no business of the push service.
      topic: hash('sha256', `${browser.id} ${message.tag}`, 'base64url').slice(0, 32),
    },
    secretHeaders: { authorization: key.authorize(endpoint, url?.startsWith('https:') ? url : undefined, nowMs) },
    body: encryptFor({ p256dh: p256dh as Buffer, auth: auth as Buffer }, Buffer.from(JSON.stringify(toPayload(message)))),
  })
  if (response.status === 404 || response.status === 410) throw new BrowserGoneError('the browser has unsubscribed')
  // Without its text: any member or visitor names an endpoint, and need not be somebody who may read what answers there.
  return requireAccepted({ ...response, text: '' })
}

function toPayload({ content: { title, lines, tone }, path, tag, quiet, acknowledge }: PushMessage): object {
  return {
    title: truncate(oneLine(title), MAX_TITLE),
    body: truncateBytes(lines.join('\n'), MAX_BODY_BYTES),
    tone,
    path,
    tag,
    quiet,
    ...(acknowledge && { acknowledge }),
  }
}
