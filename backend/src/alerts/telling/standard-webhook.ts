import { createHmac } from 'node:crypto'

export interface WebhookHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The three headers of Standard Webhooks 1.0 for a body exactly as it is sent. `id` is the same on every repeat, the instant is
 * that of this try: receivers refuse old ones. Of several secrets (`whsec_` and base64) each signs, so that one can be replaced
 * while receivers still check the other.
 */
export function webhookHeaders(id: string, atMs: number, body: string, secrets: readonly string[]): WebhookHeaders {
  const timestamp = String(Math.floor(atMs / 1000))
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
