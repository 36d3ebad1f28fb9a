import { toTimestamp } from '@vedette/shared'
import type { ChannelKind, Message } from '../messages/message.ts'
import { truncate } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4_096
const COLOURS = { critical: 0xb3261e, warning: 0xe0a100, info: 0x1f5fa8, resolved: 0x1b6e3c } as const

/** Execute Webhook, https://discord.com/developers/docs/resources/webhook#execute-webhook. Nobody is mentioned by a name in it. */
export const discord: ChannelKind = {
  deliver: ({ url = '' }, message, ways) => postJson(ways, url, bodyOf(message)),
}

function bodyOf({ content: { title, lines, tone }, link, atMs }: Message): object {
  const isCut = title.length > MAX_TITLE
  const description = truncate([...(isCut ? [title] : []), ...lines].join('\n'), MAX_DESCRIPTION)
  const embed = {
    title: truncate(title, MAX_TITLE),
    description,
    color: COLOURS[tone],
    timestamp: toTimestamp(atMs),
    ...(link !== undefined && { url: link }),
  }
  return { username: 'Vedette', embeds: [embed], allowed_mentions: { parse: [] } }
}
