import type { ChannelKind } from '../message.ts'
import { cut } from '../words.ts'
import { postJson } from './json.ts'

const MAX_TITLE = 500
const MAX_MESSAGE = 4_000
/** From 8 on a phone rings whatever else it does. */
const PRIORITIES = { critical: 8, warning: 5, info: 3, resolved: 3 } as const

/** POST /message, https://gotify.net/docs/pushmsg; what opens on a click by https://gotify.net/docs/msgextras */
export const gotify: ChannelKind = {
  tell: ({ url = '', token = '' }, { words: { title, lines, tone }, link }, ways) => {
    const click = link === undefined ? {} : { extras: { 'client::notification': { click: { url: link } } } }
    const message = cut([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE)
    const body = { title: cut(title, MAX_TITLE), message, priority: PRIORITIES[tone], ...click }
    return postJson(ways, `${url.replace(/\/+$/, '')}/message`, body, { 'x-gotify-key': token })
  },
}
