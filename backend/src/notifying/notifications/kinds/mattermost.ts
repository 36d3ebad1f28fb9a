import type { ChannelKind } from '../messages/message.ts'
import { attachmentOf } from './attachment.ts'
import { postJson } from './post.ts'

/** Incoming webhooks, https://developers.mattermost.com/integrate/webhooks/incoming/, with an attachment. */
export const mattermost: ChannelKind = {
  deliver: ({ url = '' }, message, ways) => postJson(ways, url, { username: 'Vedette', attachments: [attachmentOf(message)] }),
}
