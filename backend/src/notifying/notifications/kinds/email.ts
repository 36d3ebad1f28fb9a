import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { truncate, toPlainText } from '../messages/texts.ts'

/** A longer subject would be folded (RFC 5322, 2.1.1: 998 characters a line). */
const MAX_SUBJECT = 200
const COLOURS = { critical: '#b3261e', warning: '#8a5a00', info: '#1f5fa8', resolved: '#1b6e3c' } as const

/** By the mail server of the installation, through the outbox; HTML and text have the same content. */
export const email: ChannelKind = {
  async deliver({ to = '' }, message, { mail }) {
    mail({ to, subject: truncate(message.content.title, MAX_SUBJECT), text: plain(message), html: html(message) })
    return undefined
  },
}

const ACTION_TEXT = 'Acknowledge, snooze or resolve'

const plain = ({ content, link, actionLink }: Message): string =>
  `${toPlainText(content)}\n${link === undefined ? '' : `\n${link}\n`}${actionLink === undefined ? '' : `\n${ACTION_TEXT}: ${actionLink}\n`}`

function html({ content, link, actionLink }: Message): string {
  const { title, lines, tone } = content
  const href = link === undefined ? '' : escapeHtml(link)
  const more = link === undefined ? '' : `<p><a href="${href}">${href}</a></p>`
  const actions = actionLink === undefined ? '' : `<p><a href="${escapeHtml(actionLink)}">${ACTION_TEXT}</a></p>`
  return `<p style="color:${COLOURS[tone]}"><strong>${escapeHtml(title)}</strong></p><p>${lines.map(escapeHtml).join('<br>')}</p>${more}${actions}`
}
