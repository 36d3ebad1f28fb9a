import type { ChannelKind, Message } from '../messages/message.ts'
import { escapeHtml } from '../../../platform/escape-html.ts'
import { linkTextOf, runbookOf, runbookTextOf, toPlainText, truncate } from '../messages/texts.ts'
import { requireAccepted } from './post.ts'

/** An event may have 65,536 bytes; the text is in it twice, escaped once. */
const MAX_TITLE = 500
const MAX_LINES = 3_000

/**
 * Send an event, https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid. The id of the
 * message is that of the transaction: a repeated attempt adds no second message.
 */
export const matrix: ChannelKind = {
  linksRunbook: true,
  async deliver({ url = '', room_id: room = '' }, message, { send }) {
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(message.id)}`
    const headers = { 'content-type': 'application/json' }
    const request = {
      url: `${url.replace(/\/+$/, '')}${path}`,
      method: 'PUT',
      headers,
      body: JSON.stringify(bodyOf(message)),
    } as const
    return requireAccepted(await send(request))
  },
}

function bodyOf(message: Message): object {
  const { content, link } = message
  const title = truncate(content.title, MAX_TITLE)
  const text = truncate(content.lines.join('\n'), MAX_LINES)
  const more = link === undefined ? '' : `<br><a href="${escapeHtml(link)}">${linkTextOf(message)}</a>`
  const runbook = runbookOf(message)
  const book = runbook === undefined ? '' : `<br><a href="${escapeHtml(runbook)}">${runbookTextOf(message)}</a>`
  const bookLine = runbook === undefined ? '' : `\n${runbookTextOf(message)}: ${runbook}`
  return {
    msgtype: 'm.text',
    body: `${toPlainText({ ...content, title, lines: [text] })}${link === undefined ? '' : `\n${link}`}${bookLine}`,
    format: 'org.matrix.custom.html',
    formatted_body: `<strong>${escapeHtml(title)}</strong><br>${escapeHtml(text).replaceAll('\n', '<br>')}${more}${book}`,
    // Without a list of mentions no name in the text mentions anybody.
    'm.mentions': {},
  }
}
