import type { ChatService } from '@vedette/shared'
import { escapeMarkdown } from '../kinds/discord.ts'
import { escape } from '../kinds/slack.ts'

/** How a chat whose buttons act shows texts. */
interface ChatFormat {
  /** A text in which nothing formats, links or mentions. */
  escape(text: string): string
}

export const CHAT_FORMATS: Readonly<Record<ChatService, ChatFormat>> = {
  // With `mrkdwn: false`.
  slack: { escape },
  discord: { escape: (text) => Array.from(text, escapeMarkdown).join('') },
  // Of `answerCallbackQuery`, which has no formats.
  telegram: { escape: (text) => text },
}
