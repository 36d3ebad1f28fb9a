import type { ChannelKind, Message } from '../message.ts'
import { cut, escapeHtml } from '../words.ts'
import { postJson } from './json.ts'

/** 4,096 characters once the entities are read. */
const MAX_TITLE = 1_000
const MAX_LINES = 2_500

/** sendMessage of the Bot API, https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChannelKind = {
  tell: ({ bot_token: token = '', chat_id }, message, ways) => {
    // The colon stands in every token as it is; whatever else would change the path does not.
    const path = encodeURIComponent(token).replaceAll('%3A', ':')
    return postJson(ways, `https://api.telegram.org/bot${path}/sendMessage`, {
      chat_id,
      text: textOf(message),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
  },
}

function textOf({ words: { title, lines }, link }: Message): string {
  const more = link === undefined ? [] : [`<a href="${escapeHtml(link)}">Open in Vedette</a>`]
  return [`<b>${escapeHtml(cut(title, MAX_TITLE))}</b>`, escapeHtml(cut(lines.join('\n'), MAX_LINES)), ...more].join('\n')
}
