import { toTimestamp } from '@vedette/shared'
import type { ChannelKind, Message } from '../messages/message.ts'
import { BUTTONS, truncateEscaped } from '../messages/texts.ts'
import { postJson } from './post.ts'

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4_096
const COLOURS = { critical: 0xb3261e, warning: 0xe0a100, info: 0x1f5fa8, resolved: 0x1b6e3c } as const

/** Execute Webhook, https://discord.com/developers/docs/resources/webhook#execute-webhook. Titles and descriptions are Markdown. */
export const discord: ChannelKind = {
  deliver: ({ url = '', public_key: key }, message, ways) => {
    const { actionIncident: incidentId } = message
    if (key === undefined || incidentId === undefined) return postJson(ways, url, bodyOf(message))
    const target = new URL(url)
    target.searchParams.set('with_components', 'true')
    return postJson(ways, target.href, { ...bodyOf(message), components: [buttonsOf(incidentId)] })
  },
}

/** https://discord.com/developers/docs/components/reference#action-row: 1, of buttons: 2 */
const buttonsOf = (incidentId: string) => ({
  type: 1,
  components: BUTTONS.map(([action, label]) => ({ type: 2, style: 2, label, custom_id: `${action} ${incidentId}` })),
})

/** No character of a name formats, links or mentions. */
export const escapeMarkdown = (character: string): string => (/[\\*_~`|<>[\]#]/.test(character) ? `\\${character}` : character)

function bodyOf({ content: { title, lines, tone }, link, atMs }: Message): object {
  const shortTitle = truncateEscaped(title, MAX_TITLE, escapeMarkdown)
  const isCut = shortTitle.endsWith('…') && !title.endsWith('…')
  const description = truncateEscaped([...(isCut ? [title] : []), ...lines].join('\n'), MAX_DESCRIPTION, escapeMarkdown)
  const embed = {
    title: shortTitle,
    description,
    color: COLOURS[tone],
    timestamp: toTimestamp(atMs),
    ...(link !== undefined && { url: link }),
  }
  return { username: 'Vedette', embeds: [embed], allowed_mentions: { parse: [] } }
}
