import type { ChannelKind } from '../messages/message.ts'
import { attachmentOf } from './attachment.ts'
import { postJson } from './post.ts'

/** Incoming webhooks, https://docs.rocket.chat/docs/create-a-new-incoming-webhook, with an attachment. */
export const rocketChat: ChannelKind = {
  deliver: ({ url = '' }, message, ways) => postJson(ways, url, { alias: 'Vedette', attachments: [attachmentOf(message)] }),
}
