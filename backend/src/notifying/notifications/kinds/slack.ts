import type { ChannelKind, Message } from '../messages/message.ts'
import { buttonsOf, linkTextOf, runbookOf, runbookTextOf, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** A section takes 3,000 characters; escaping makes up to five of one. */
const MAX_TITLE = 500
const MAX_LINES = 400
/** An element takes 3,000 with the text of its link. */
const MAX_ELEMENT = 2_900

/**
 * Incoming webhooks, https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/, with blocks,
 * https://docs.slack.dev/reference/block-kit/blocks/section-block/. `text` is what notifications show.
 */
export const slack: ChannelKind = {
  linksRunbook: true,
  deliver: ({ url = '', signing_secret: secret }, message, ways) => postJson(ways, url, slackBody(message, secret !== undefined)),
}

export function slackBody(message: Message, hasButtons: boolean): object {
  const { content, link } = message
  const title = escape(truncate(content.title, MAX_TITLE))
  const lines = escape(truncate(content.lines.join('\n'), MAX_LINES))
  // Not `mrkdwn`, which has no escape for its `*_~` and backquotes.
  const section = (text: string) => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } })
  const runbook = escape(runbookOf(message) ?? '')
  const links = [
    ...(link === undefined ? [] : [`<${link}|${linkTextOf(message)}>`]),
    ...(runbook === '' || runbook.length > MAX_ELEMENT ? [] : [`<${runbook}|${runbookTextOf(message)}>`]),
  ]
  const more = { type: 'context', elements: links.map((text) => ({ type: 'mrkdwn', text })) }
  const blocks = [
    section(title),
    section(lines),
    ...(links.length === 0 ? [] : [more]),
    ...(hasButtons ? actionsOf(message) : []),
  ]
  return { text: title, mrkdwn: false, blocks }
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block/ */
function actionsOf(message: Message): object[] {
  const elements = buttonsOf(message).map(({ action, text, value }) => ({
    type: 'button',
    action_id: action,
    value,
    text: { type: 'plain_text', text },
  }))
  return elements.length === 0 ? [] : [{ type: 'actions', elements }]
}

/** https://docs.slack.dev/messaging/formatting-message-text/#escaping: so that no name becomes a link or a mention. */
export const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
