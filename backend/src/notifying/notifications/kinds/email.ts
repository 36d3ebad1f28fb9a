import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { actionTextOf, runbookOf, runbookTextOf, toPlainText, truncate } from '../messages/texts.ts'

/** A longer subject would be folded (RFC 5322, 2.1.1: 998 characters a line). */
const MAX_SUBJECT = 200
const COLOURS = { critical: '#b3261e', warning: '#8a5a00', info: '#1f5fa8', resolved: '#1b6e3c' } as const

/** By the mail server of the installation, through the outbox; HTML and text have the same content. */
export const email: ChannelKind = {
  linksRunbook: true,
  async deliver({ to = '' }, message, { mail }) {
    mail({ to, subject: truncate(message.content.title, MAX_SUBJECT), text: plain(message), html: html(message) })
    return undefined
  },
}

function plain(message: Message): string {
  const { content, link, actionLink } = message
  const action = actionLink === undefined ? '' : `\n${actionTextOf(message)}: ${actionLink}\n`
  const runbook = runbookOf(message)
  const book = runbook === undefined ? '' : `\n${runbookTextOf(message)}: ${runbook}\n`
  return `${toPlainText(content)}\n${link === undefined ? '' : `\n${link}\n`}${book}${action}`
}

function html(message: Message): string {
  const { content, link, actionLink } = message
  const { title, lines, tone } = content
  const href = link === undefined ? '' : escapeHtml(link)
  const more = link === undefined ? '' : `<p><a href="${href}">${href}</a></p>`
  const runbook = runbookOf(message)
  const book = runbook === undefined ? '' : `<p><a href="${escapeHtml(runbook)}">${runbookTextOf(message)}</a></p>`
  const actions = actionLink === undefined ? '' : `<p><a href="${escapeHtml(actionLink)}">${actionTextOf(message)}</a></p>`
  return `<p style="color:${COLOURS[tone]}"><strong>${escapeHtml(title)}</strong></p><p>${lines.map(escapeHtml).join('<br>')}</p>${more}${book}${actions}`
}
