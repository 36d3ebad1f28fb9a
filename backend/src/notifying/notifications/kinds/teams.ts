import type { ChannelKind, Message } from '../messages/message.ts'
import { linkTextOf, runbookOf, runbookTextOf, truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** A message may have 28 KB. */
const MAX_TITLE = 2_000
const MAX_LINES = 4_000
const COLOURS = { critical: 'Attention', warning: 'Warning', info: 'Accent', resolved: 'Good' } as const

/**
 * "Post to a channel when a webhook request is received" of Workflows, with an Adaptive Card:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using#send-adaptive-cards-using-an-incoming-webhook
 */
export const teams: ChannelKind = {
  linksRunbook: true,
  deliver: ({ url = '' }, message, ways) => postJson(ways, url, bodyOf(message)),
}

function bodyOf(message: Message): object {
  const { link } = message
  const runbook = runbookOf(message)
  const open = (title: string, url: string) => ({ type: 'Action.OpenUrl', title, url })
  const actions = [
    ...(link === undefined ? [] : [open(linkTextOf(message), link)]),
    ...(runbook === undefined ? [] : [open(runbookTextOf(message), runbook)]),
  ]
  const { title, lines, tone } = message.content
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      {
        type: 'TextBlock',
        text: plain(truncate(title, MAX_TITLE)),
        weight: 'Bolder',
        size: 'Medium',
        color: COLOURS[tone],
        wrap: true,
      },
      // Markdown: a single line break is ignored.
      { type: 'TextBlock', text: plain(truncate(lines.join('\n\n'), MAX_LINES)), wrap: true },
    ],
    ...(actions.length > 0 && { actions }),
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] }
}

/** A text block reads Markdown: a name must not become a link. */
const plain = (text: string): string => text.replaceAll(/[\\[\]*_`]/g, (character) => `\\${character}`)
