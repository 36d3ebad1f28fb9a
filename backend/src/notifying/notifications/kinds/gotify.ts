import type { ChannelKind } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

const MAX_TITLE = 500
const MAX_MESSAGE = 4_000
/** From 8 on a phone always rings. */
const PRIORITIES = { critical: 8, warning: 5, info: 3, resolved: 3 } as const

/** POST /message, https://gotify.net/docs/pushmsg; what opens on a click by https://gotify.net/docs/msgextras */
export const gotify: ChannelKind = {
  deliver: ({ url = '' }, { content: { title, lines, tone }, link }, ways) => {
    const click = link === undefined ? {} : { extras: { 'client::notification': { click: { url: link } } } }
    const message = truncate([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE)
    const body = { title: truncate(title, MAX_TITLE), message, priority: PRIORITIES[tone], ...click }
    return postJson(ways, `${url.replace(/\/+$/, '')}/message`, body)
  },
}
