import type { Client } from '@vedette/client'
import { stored } from './session.ts'

/** SHA-256 of the endpoint of this browser, while its user has notifications turned on here. */
const KEY = 'vedette-notifications'

/** Why this browser cannot show notifications; undefined where it can. */
export type NotificationObstacle = 'insecure' | 'homeScreen' | 'unsupported' | 'blocked'

export function notificationObstacle(): NotificationObstacle | undefined {
  if (!isSecureContext) return 'insecure'
  if (!('PushManager' in window) || !('serviceWorker' in navigator))
    return /iPhone|iPad/.test(navigator.userAgent) ? 'homeScreen' : 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : undefined
}

/** Which browser of the list is this one: the `endpoint_sha256` under which it was stored. */
export const ownEndpointHash = (): string | undefined => stored(() => localStorage.getItem(KEY)) ?? undefined

/** Asks the user, unless they have decided, and subscribes. False where they do not allow it. Throws where the push service fails. */
export async function turnOnNotifications(client: Client, publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await subscribe(client, publicKey)
  return true
}

export async function turnOffNotifications(client: Client, id: string): Promise<void> {
  await client.pushSubscriptions.remove(id)
  await deleteOwn()
}

/**
 * Subscribes again where the browser or the installation has a new key, and ends the subscription of a browser that was removed
 * elsewhere. Run when a session begins.
 */
export async function keepNotifications(client: Client): Promise<void> {
  const known = ownEndpointHash()
  if (known === undefined || notificationObstacle() !== undefined || Notification.permission !== 'granted') return
  const { push_subscriptions: browsers, public_key: publicKey } = await client.pushSubscriptions.list({ limit: 100 })
  const own = browsers.find(({ endpoint_sha256 }) => endpoint_sha256 === known)
  if (!own) return deleteOwn()
  const subscription = await (await manager()).getSubscription()
  if (subscription && keyOf(subscription) === publicKey && (await hashOf(subscription.endpoint)) === known) return
  await subscribe(client, publicKey)
  if (ownEndpointHash() !== known) await client.pushSubscriptions.remove(own.id)
}

async function subscribe(client: Client, publicKey: string): Promise<void> {
  const pushManager = await manager()
  const present = await pushManager.getSubscription()
  if (present && keyOf(present) !== publicKey) await present.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
  const { endpoint_sha256: hash } = await client.pushSubscriptions.create({
    endpoint: subscription.endpoint,
    keys: { p256dh, auth },
  })
  stored(() => localStorage.setItem(KEY, hash))
}

async function deleteOwn(): Promise<void> {
  stored(() => localStorage.removeItem(KEY))
  await (await (await manager()).getSubscription())?.unsubscribe()
}

const manager = async (): Promise<PushManager> => (await navigator.serviceWorker.ready).pushManager

const keyOf = ({ options }: PushSubscription): string => {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

async function hashOf(endpoint: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
