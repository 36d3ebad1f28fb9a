import type { ChatService } from '@vedette/shared'
import type { Message } from '../messages/message.ts'
import { discordUpdate, escapeMarkdown } from '../kinds/discord.ts'
import { escape, slackBody } from '../kinds/slack.ts'
import { telegramUpdate } from '../kinds/telegram.ts'

/** How a chat whose buttons act shows texts. */
interface ChatFormat {
  /** What a message with buttons becomes, as the service takes it. */
  toUpdate(message: Message): object
  /** A text in which nothing formats, links or mentions. */
  escape(text: string): string
}

export const CHAT_FORMATS: Readonly<Record<ChatService, ChatFormat>> = {
  // Escaped for texts with `mrkdwn: false`.
  slack: { toUpdate: (message) => slackBody(message, true), escape },
  discord: { toUpdate: discordUpdate, escape: (text) => Array.from(text, escapeMarkdown).join('') },
  // Of `answerCallbackQuery`, which has no formats.
  telegram: { toUpdate: telegramUpdate, escape: (text) => text },
}
