import { createECDH, createPrivateKey, sign } from 'node:crypto'
import type { PushSubscriptionBody } from '@vedette/shared'
import { encryptedValues } from '../../../platform/encrypted-values/encrypted-values.ts'
import type { InstallationSecrets } from '../../../platform/crypto/installation-secrets.ts'

/** Identifies this installation to push services (VAPID, RFC 8292). A browser subscribes for one public key. */
export interface VapidKey {
  /** 65 bytes in base64url. */
  publicKey: string
  /** The Authorization header of a request to this endpoint. `contact`: an https URL of this installation, if it has one. */
  authorize(endpoint: string, contact: string | undefined, nowMs: number): string
}

/** Push services refuse more than a day. */
const VALID_SECONDS = 12 * 3_600

/** What is stored encrypted: the subscription, and the public key that it was made for. */
export interface StoredSubscription extends Pick<PushSubscriptionBody, 'endpoint' | 'keys'> {
  publicKey: string
  /** The private key, in base64url, where its secret may be gone: the browser accepts no other key. */
  privateKey?: string
}

const vapidSecrets = (secrets: InstallationSecrets) => secrets.derive('web push')

const subscriptionEncrypter = encryptedValues('push subscription', [
  { table: 'push_subscription', key: ['id'], column: 'encrypted', renew: addPrivateKey },
  { table: 'status_subscriber', key: ['organization', 'id'], column: 'browser_encrypted', renew: addPrivateKey },
])

function addPrivateKey(plain: Buffer, secrets: InstallationSecrets): Buffer {
  const subscription = JSON.parse(plain.toString()) as StoredSubscription
  const secret = vapidSecrets(secrets).find((each) => vapidKey(each).publicKey === subscription.publicKey)
  const kept: StoredSubscription = { ...subscription, ...(secret && { privateKey: secret.toString('base64url') }) }
  return Buffer.from(JSON.stringify(kept))
}

/** The key that a subscription was made for; undefined where its secret was removed before it was stored with the subscription. */
export function keyOf({ publicKey, privateKey }: StoredSubscription, keys: readonly VapidKey[]): VapidKey | undefined {
  const key = keys.find((each) => each.publicKey === publicKey)
  return key ?? (privateKey === undefined ? undefined : vapidKey(Buffer.from(privateKey, 'base64url')))
}

/** One key per secret of the installation, newest first, and what encrypts the subscriptions that were made for them. */
export const pushCredentials = (secrets: InstallationSecrets) => ({
  keys: vapidSecrets(secrets).map(vapidKey) as [VapidKey, ...VapidKey[]],
  encrypter: subscriptionEncrypter(secrets),
})

/** Of a private key of P-256: 32 bytes. */
export function vapidKey(secret: Buffer): VapidKey {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', d: secret.toString('base64url'), x: x as string, y: y as string }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const publicKey = point.toString('base64url')
  return {
    publicKey,
    authorize: (endpoint, contact, nowMs) => {
      const claims = {
        aud: new URL(endpoint).origin,
        exp: Math.floor(nowMs / 1000) + VALID_SECONDS,
        ...(contact && { sub: contact }),
      }
      const text = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
      return `vapid t=${text}.${signature}, k=${publicKey}`
    },
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
