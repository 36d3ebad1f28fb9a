import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

const MAX_TITLE = 250
const MAX_MESSAGE = 2_000

/**
 * An action of `notify`, https://developers.home-assistant.io/docs/api/rest/ and https://www.home-assistant.io/integrations/notify/.
 * What opens on a tap: https://companion.home-assistant.io/docs/notifications/notifications-basic/#opening-a-url
 */
export const homeAssistant: ChannelKind = {
  deliver: ({ url = '', service = '' }, { content: { title, lines }, link }, ways) => {
    const message = truncate([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE)
    const body = {
      title: truncate(title, MAX_TITLE),
      message,
      ...(link !== undefined && { data: { url: link, clickAction: link } }),
    }
    return postJson(ways, `${url.replace(/\/+$/, '')}/api/services/notify/${encodeURIComponent(service)}`, body)
  },
}
