import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../platform/escape-html.ts'
import { BUTTONS, LINK_TEXT, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** 4,096 characters without entities. */
const MAX_TITLE = 1_000
const MAX_LINES = 2_500

/** sendMessage of the Bot API, https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChannelKind = {
  deliver: ({ bot_token: token = '', chat_id, webhook_secret: secret }, message, ways) => {
    const incidentId = secret === undefined ? undefined : message.actionIncident
    // Every token contains a colon, which stays as it is; everything else that could change the path is encoded.
    const path = encodeURIComponent(token).replaceAll('%3A', ':')
    return postJson(ways, `https://api.telegram.org/bot${path}/sendMessage`, {
      chat_id,
      text: textOf(message),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(incidentId !== undefined && { reply_markup: keyboardOf(incidentId) }),
    })
  },
}

/** https://core.telegram.org/bots/api#inlinekeyboardmarkup; the data of a button has at most 64 bytes. */
const keyboardOf = (incidentId: string) => ({
  inline_keyboard: [BUTTONS.map(([action, text]) => ({ text, callback_data: `${action} ${incidentId}` }))],
})

function textOf({ content: { title, lines }, link, linkText = LINK_TEXT, actionLink }: Message): string {
  const more = link === undefined ? [] : [`<a href="${escapeHtml(link)}">${linkText}</a>`]
  const actions = actionLink === undefined ? [] : [`<a href="${escapeHtml(actionLink)}">Acknowledge, snooze or resolve</a>`]
  return [
    `<b>${escapeHtml(truncate(title, MAX_TITLE))}</b>`,
    escapeHtml(truncate(lines.join('\n'), MAX_LINES)),
    ...more,
    ...actions,
  ].join('\n')
}
