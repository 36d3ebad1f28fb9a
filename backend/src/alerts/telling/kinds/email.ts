import type { ChannelKind, Message } from '../message.ts'
import { cut, escapeHtml, textOf } from '../words.ts'

/** A subject beyond what a line of a header may hold (RFC 5322, 2.1.1: 998) would be folded; nobody reads that much. */
const MAX_SUBJECT = 200
const COLOURS = { critical: '#b3261e', warning: '#8a5a00', info: '#1f5fa8', resolved: '#1b6e3c' } as const

/** By the mail server of the installation, through its outbox: HTML and text with the same words. */
export const email: ChannelKind = {
  async tell({ to = '' }, message, { mail }) {
    mail({ to, subject: cut(message.words.title, MAX_SUBJECT), text: plain(message), html: html(message) })
    return undefined
  },
}

const plain = ({ words, link }: Message): string => `${textOf(words)}\n${link === undefined ? '' : `\n${link}\n`}`

function html({ words, link }: Message): string {
  const { title, lines, tone } = words
  const href = link === undefined ? '' : escapeHtml(link)
  const more = link === undefined ? '' : `<p><a href="${href}">${href}</a></p>`
  return `<p style="color:${COLOURS[tone]}"><strong>${escapeHtml(title)}</strong></p><p>${lines.map(escapeHtml).join('<br>')}</p>${more}`
}
