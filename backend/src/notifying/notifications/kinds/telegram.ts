import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { actionTextOf, buttonsOf, linkTextOf, runbookOf, runbookTextOf, truncate } from '../messages/texts.ts'
import { postJson, refusalOf } from './post.ts'

/** 4,096 characters without entities. */
const MAX_TITLE = 1_000
const MAX_LINES = 2_500

/** sendMessage of the Bot API, https://core.telegram.org/bots/api#sendmessage */
export const telegram: ChannelKind = {
  linksRunbook: true,
  deliver: async ({ bot_token: token = '', chat_id, message_thread_id: topic, webhook_secret: secret }, message, ways) => {
    const hasButtons = secret !== undefined && buttonsOf(message).length > 0
    const thread = topic === undefined ? {} : { message_thread_id: Number(topic) }
    const body = { chat_id, ...thread, ...contentOf(message), ...(hasButtons && { reply_markup: keyboardOf(message) }) }
    const url = telegramUrl(token, 'sendMessage')
    try {
      return await postJson(ways, url, body)
    } catch (error) {
      const movedTo = newChatOf(error)
      if (movedTo === undefined) throw error
      return postJson(ways, url, { ...body, chat_id: movedTo })
    }
  },
}

/** A group that became a supergroup has another id, which the refusal names: https://core.telegram.org/bots/api#responseparameters */
function newChatOf(error: unknown): string | undefined {
  const { migrate_to_chat_id: id } = (refusalOf(error)?.['parameters'] ?? {}) as { migrate_to_chat_id?: unknown }
  return typeof id === 'number' ? String(id) : undefined
}

export function telegramUrl(token: string, method: 'sendMessage' | 'editMessageText'): string {
  // Every token contains a colon, which stays as it is; everything else that could change the path is encoded.
  const path = encodeURIComponent(token).replaceAll('%3A', ':')
  return `https://api.telegram.org/bot${path}/${method}`
}

/** What a message becomes, https://core.telegram.org/bots/api#editmessagetext */
export const telegramUpdate = (message: Message): object => ({ ...contentOf(message), reply_markup: keyboardOf(message) })

const contentOf = (message: Message): object => ({
  text: textOf(message),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})

/** https://core.telegram.org/bots/api#inlinekeyboardmarkup; the data of a button has at most 64 bytes. */
function keyboardOf(message: Message): object {
  const buttons = buttonsOf(message).map(({ text, value }) => ({ text, callback_data: value }))
  return { inline_keyboard: buttons.length === 0 ? [] : [buttons] }
}

function textOf(message: Message): string {
  const { content, link, actionLink } = message
  const { title, lines } = content
  const more = link === undefined ? [] : [`<a href="${escapeHtml(link)}">${linkTextOf(message)}</a>`]
  const runbook = runbookOf(message)
  const book = runbook === undefined ? [] : [`<a href="${escapeHtml(runbook)}">${runbookTextOf(message)}</a>`]
  const actions = actionLink === undefined ? [] : [`<a href="${escapeHtml(actionLink)}">${actionTextOf(message)}</a>`]
  return [
    `<b>${escapeHtml(truncate(title, MAX_TITLE))}</b>`,
    escapeHtml(truncate(lines.join('\n'), MAX_LINES)),
    ...more,
    ...book,
    ...actions,
  ].join('\n')
}
