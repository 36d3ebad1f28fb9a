import type { ChannelKind } from '../messages/message.ts'
import { buttonTextOf, runbookOf, runbookTextOf, truncate, truncateBytes } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** A longer message becomes an attachment. */
const MAX_MESSAGE_BYTES = 4_096
const MAX_TITLE = 250
const PRIORITIES = { critical: 5, warning: 4, info: 3, resolved: 3 } as const
const TAGS = { critical: 'rotating_light', warning: 'warning', info: 'information_source', resolved: 'white_check_mark' } as const

/** Publish as JSON, https://docs.ntfy.sh/publish/#publish-as-json: to the root of the server. Access tokens as in #access-tokens. */
export const ntfy: ChannelKind = {
  linksRunbook: true,
  deliver: ({ url = '', topic }, message, ways) => {
    const { content, link, actionLink } = message
    const { title, lines, tone } = content
    const runbook = runbookOf(message)
    // It shows three of them.
    const actions = [
      ...(actionLink === undefined
        ? []
        : (['acknowledge', 'snooze'] as const).map((action) => button(buttonTextOf(action, message), actionLink, action))),
      ...(runbook === undefined ? [] : [{ action: 'view', label: runbookTextOf(message), url: runbook }]),
    ]
    const text = truncateBytes([...(title.length > MAX_TITLE ? [title] : []), ...lines].join('\n'), MAX_MESSAGE_BYTES)
    const body = { topic, title: truncate(title, MAX_TITLE), message: text, priority: PRIORITIES[tone], tags: [TAGS[tone]] }
    return postJson(ways, url, {
      ...body,
      ...(link !== undefined && { click: link }),
      ...(actions.length > 0 && { actions }),
    })
  },
}

/** https://docs.ntfy.sh/publish/#send-http-request: the phone sends it. */
const button = (label: string, url: string, action: string) => ({
  action: 'http',
  label,
  url,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: `action=${action}`,
  clear: true,
})
