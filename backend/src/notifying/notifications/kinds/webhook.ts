import { toTimestamp } from '@vedette/shared'
import { requireAccepted } from './post.ts'
import type { ChannelKind } from '../messages/message.ts'
import { webhookHeaders } from '../messages/standard-webhook.ts'

/** Standard Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const webhook: ChannelKind = {
  async deliver({ url = '', secrets = [] }, { id, type, atMs, data }, { send, nowMs }) {
    const body = JSON.stringify({ type, timestamp: toTimestamp(atMs), data })
    const headers = { 'content-type': 'application/json', ...webhookHeaders(id, nowMs(), body, secrets) }
    return requireAccepted(await send({ url, headers, body }))
  },
}
