import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { linkTextOf, runbookOf, runbookTextOf, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** A message may have 32,000 bytes; escaping makes up to six of one character. */
const MAX_TITLE = 500
const MAX_LINES = 3_000

/**
 * Incoming webhooks, https://developers.google.com/workspace/chat/quickstart/webhooks, with a card,
 * https://developers.google.com/workspace/chat/api/reference/rest/v1/cards. Messages of one incident are one thread.
 */
export const googleChat: ChannelKind = {
  linksRunbook: true,
  deliver: ({ url = '' }, message, ways) => postJson(ways, inThread(url), bodyOf(message)),
}

function inThread(url: string): string {
  const target = URL.parse(url)
  target?.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
  return target?.href ?? url
}

function bodyOf(message: Message): object {
  const { id, content, link, data } = message
  const { title, lines } = content
  const text = escapeHtml(truncate(lines.join('\n'), MAX_LINES)).replaceAll('\n', '<br>')
  const runbook = runbookOf(message)
  const button = (text: string, url: string) => ({ text, onClick: { openLink: { url } } })
  const buttons = [
    ...(link === undefined ? [] : [button(linkTextOf(message), link)]),
    ...(runbook === undefined ? [] : [button(runbookTextOf(message), runbook)]),
  ]
  const widgets = [{ textParagraph: { text } }, ...(buttons.length === 0 ? [] : [{ buttonList: { buttons } }])]
  const card = { header: { title: truncate(title, MAX_TITLE) }, sections: [{ widgets }] }
  return { thread: { threadKey: data.incident?.id ?? id }, cardsV2: [{ cardId: id, card }] }
}
