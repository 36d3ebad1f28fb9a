import { toTimestamp } from '@vedette/shared'
import type { ChannelKind, Message } from '../messages/message.ts'
import { buttonsOf, runbookOf, runbookTextOf, truncate, truncateEscaped } from '../messages/texts.ts'
import { postJson, refusalOf } from './post.ts'

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4_096
const COLOURS = { critical: 0xb3261e, warning: 0xe0a100, info: 0x1f5fa8, resolved: 0x1b6e3c } as const

/** Execute Webhook, https://discord.com/developers/docs/resources/webhook#execute-webhook. Titles and descriptions are Markdown. */
export const discord: ChannelKind = {
  linksRunbook: true,
  deliver: async ({ url = '', public_key: key }, message, ways) => {
    const components = key === undefined ? [] : rowsOf(message)
    const target = new URL(url)
    if (components.length > 0) target.searchParams.set('with_components', 'true')
    const to = components.length > 0 ? target.href : url
    const body = { username: 'Vedette', ...embedsOf(message), ...(components.length > 0 && { components }) }
    try {
      return await postJson(ways, to, body)
    } catch (error) {
      if (refusalOf(error)?.['code'] !== NEEDS_THREAD) throw error
      return postJson(ways, to, { ...body, thread_name: truncate(message.content.title, MAX_THREAD_NAME) })
    }
  },
}

/** "Webhooks posted to forum channels must have a thread_name or thread_id": without a thread in its URL a message begins one. */
const NEEDS_THREAD = 220_001
const MAX_THREAD_NAME = 100

/** What a message becomes: without buttons the list is empty, because a field that is left out stays as it was. */
export const discordUpdate = (message: Message): object => ({ ...embedsOf(message), components: rowsOf(message) })

/** https://discord.com/developers/docs/components/reference#action-row: 1, of buttons: 2 */
function rowsOf(message: Message): object[] {
  const components = buttonsOf(message).map(({ text: label, value }) => ({ type: 2, style: 2, label, custom_id: value }))
  return components.length === 0 ? [] : [{ type: 1, components }]
}

/** No character of a name formats, links or mentions. */
export const escapeMarkdown = (character: string): string => (/[\\*_~`|<>[\]#]/.test(character) ? `\\${character}` : character)

function embedsOf(message: Message): object {
  const { content, link, atMs } = message
  const { title, lines, tone } = content
  const runbook = runbookOf(message)
  const shortTitle = truncateEscaped(title, MAX_TITLE, escapeMarkdown)
  const isCut = shortTitle.endsWith('…') && !title.endsWith('…')
  const description = truncateEscaped([...(isCut ? [title] : []), ...lines].join('\n'), MAX_DESCRIPTION, escapeMarkdown)
  const embed = {
    title: shortTitle,
    description,
    color: COLOURS[tone],
    timestamp: toTimestamp(atMs),
    ...(link !== undefined && { url: link }),
    ...(runbook !== undefined && { fields: [{ name: runbookTextOf(message), value: runbook }] }),
  }
  return { embeds: [embed], allowed_mentions: { parse: [] } }
}
