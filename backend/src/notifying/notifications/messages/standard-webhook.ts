import { createHmac } from 'node:crypto'

export interface WebhookHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The headers of Standard Webhooks 1.0 for a body. `id` is the same on every attempt; the timestamp is that of the attempt, since
 * receivers refuse old ones. Each of several secrets (`whsec_` and base64) signs, so that receivers can change from one to the next.
 */
export function webhookHeaders(id: string, atMs: number, body: string, secrets: readonly string[]): WebhookHeaders {
  const timestamp = String(Math.floor(atMs / 1000))
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
