import type { Message } from '../messages/message.ts'
import { truncate, truncateEscaped } from '../messages/texts.ts'

/** Mattermost takes 16,383 characters; what is longer is no notification. */
const MAX_TITLE = 500
const MAX_LINES = 4_000
const COLOURS = { critical: '#b3261e', warning: '#e0a100', info: '#1f5fa8', resolved: '#1b6e3c' } as const

/** A message attachment in the form that Slack introduced, which Mattermost and Rocket.Chat read. Its texts are Markdown. */
export function attachmentOf({ content: { title, lines, tone }, link }: Message): object {
  return {
    color: COLOURS[tone],
    title: truncateEscaped(title, MAX_TITLE, escapeMarkdown),
    text: truncateEscaped(lines.join('\n'), MAX_LINES, escapeMarkdown),
    fallback: truncate(title, MAX_TITLE).replaceAll('@', NO_MENTION),
    ...(link !== undefined && { title_link: link }),
  }
}

/** A space of no width: a name that follows an @ mentions nobody. */
const NO_MENTION = '@\u200b'

function escapeMarkdown(character: string): string {
  if (character === '@') return NO_MENTION
  return /[\\*_~`|<>[\]()#!+-]/.test(character) ? `\\${character}` : character
}
