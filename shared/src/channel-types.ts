/** A field of a channel's `config`. */
export interface ChannelField {
  isRequired: boolean
  /** The API never answers the value again. */
  isSecret: boolean
  /** The header of requests that carries the value, after `scheme`; that of a secret is not sent to another origin at a redirect. */
  header?: { name: string; scheme?: string }
}

const shown: ChannelField = { isRequired: true, isSecret: false }
const secret: ChannelField = { isRequired: true, isSecret: true }
const optionalSecret: ChannelField = { isRequired: false, isSecret: true }

/** The channel types with the fields of their `config`. The URL of a chat is a secret: it lets its holder post. */
export const CHANNEL_TYPES = {
  webhook: { url: shown, secret: optionalSecret, events: { isRequired: false, isSecret: false } },
  email: { to: shown },
  slack: { url: secret },
  discord: { url: secret },
  teams: { url: secret },
  telegram: { bot_token: secret, chat_id: shown },
  pagerduty: { routing_key: secret },
  ntfy: { url: shown, topic: shown, token: { ...optionalSecret, header: { name: 'authorization', scheme: 'Bearer' } } },
  gotify: { url: shown, token: { ...secret, header: { name: 'x-gotify-key' } } },
  pushover: { user_key: secret, app_token: secret },
} as const satisfies Record<string, Readonly<Record<string, ChannelField>>>
export type ChannelType = keyof typeof CHANNEL_TYPES

/** Stands for a secret that is not shown; sent back, it leaves the secret as it was. */
export const CHANNEL_MASK = '•••'
