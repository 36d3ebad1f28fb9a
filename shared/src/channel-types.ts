/** A field of a channel's `config`. */
export interface ChannelField {
  isRequired: boolean
  /** The API never answers the value again. */
  isSecret: boolean
  /** Who knows the value can send there: only callers who may change the channel see it. */
  isCapability?: boolean
  /** The header of requests that carries the value, after `scheme`; that of a secret is not sent to another origin at a redirect. */
  header?: { name: string; scheme?: string }
}

const shown: ChannelField = { isRequired: true, isSecret: false }
const capability: ChannelField = { ...shown, isCapability: true }
const secret: ChannelField = { isRequired: true, isSecret: true }
const optionalSecret: ChannelField = { isRequired: false, isSecret: true }

/** The channel types with the fields of their `config`. The URL of a chat is a secret: it lets its holder post. */
export const CHANNEL_TYPES = {
  webhook: {
    label: 'Webhook',
    fields: { url: capability, secret: optionalSecret, events: { isRequired: false, isSecret: false } },
  },
  email: { label: 'Email', fields: { to: shown } },
  slack: { label: 'Slack', fields: { url: secret } },
  discord: { label: 'Discord', fields: { url: secret } },
  teams: { label: 'Microsoft Teams', fields: { url: secret } },
  telegram: { label: 'Telegram', fields: { bot_token: secret, chat_id: shown } },
  pagerduty: { label: 'PagerDuty', fields: { routing_key: secret, region: { isRequired: false, isSecret: false } } },
  ntfy: {
    label: 'ntfy',
    fields: { url: shown, topic: capability, token: { ...optionalSecret, header: { name: 'authorization', scheme: 'Bearer' } } },
  },
  gotify: { label: 'Gotify', fields: { url: shown, token: { ...secret, header: { name: 'x-gotify-key' } } } },
  pushover: { label: 'Pushover', fields: { user_key: secret, app_token: secret } },
} as const satisfies Record<string, { label: string; fields: Readonly<Record<string, ChannelField>> }>
export type ChannelType = keyof typeof CHANNEL_TYPES

/** The texts that a `config` may have. */
export const CHANNEL_TEXTS = {
  url: {
    label: 'URL',
    maxLength: 2_048,
    description: 'webhook, ntfy, gotify; a secret of slack, discord, teams. http or https, without credentials',
  },
  secret: {
    label: 'Signing secret',
    maxLength: 200,
    description: 'webhook: `whsec_` and base64 of 24 to 64 bytes; generated and returned once if it is not given',
  },
  to: { label: 'Email address', maxLength: 254, description: 'email: the address' },
  bot_token: { label: 'Bot token', maxLength: 200, description: 'telegram; a secret' },
  chat_id: { label: 'Chat ID', maxLength: 100, description: 'telegram' },
  routing_key: { label: 'Integration key', maxLength: 200, description: 'pagerduty; a secret' },
  region: { label: 'Service region', maxLength: 2, description: 'pagerduty: `us` (default) or `eu`' },
  topic: { label: 'Topic', maxLength: 200, description: 'ntfy' },
  token: { label: 'Token', maxLength: 200, description: 'ntfy (optional), gotify; a secret' },
  user_key: { label: 'User key', maxLength: 100, description: 'pushover; a secret' },
  app_token: { label: 'Application token', maxLength: 100, description: 'pushover; a secret' },
} as const
export type ChannelText = keyof typeof CHANNEL_TEXTS
