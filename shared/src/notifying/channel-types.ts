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
const optional: ChannelField = { isRequired: false, isSecret: false }
const optionalSecret: ChannelField = { isRequired: false, isSecret: true }
const bearer = { name: 'authorization', scheme: 'Bearer' }
/** What people read there can be written by the organization. */
const templates = { title_template: optional, text_template: optional }
const twilio = { account_sid: shown, auth_token: secret, sender: shown, recipient: shown, region: optional, ...templates }

/** The channel types with the fields of their `config`. The URL of a chat is a secret: it lets its holder post. */
export const CHANNEL_TYPES = {
  webhook: {
    label: 'Webhook',
    fields: { url: capability, secret: optionalSecret, events: optional },
  },
  email: { label: 'Email', fields: { to: shown, ...templates } },
  slack: { label: 'Slack', fields: { url: secret, signing_secret: optionalSecret, ...templates } },
  discord: { label: 'Discord', fields: { url: secret, public_key: optional, ...templates } },
  teams: { label: 'Microsoft Teams', fields: { url: secret, ...templates } },
  telegram: {
    label: 'Telegram',
    fields: { bot_token: secret, chat_id: shown, message_thread_id: optional, webhook_secret: optionalSecret, ...templates },
  },
  mattermost: { label: 'Mattermost', fields: { url: secret, ...templates } },
  rocket_chat: { label: 'Rocket.Chat', fields: { url: secret, ...templates } },
  google_chat: { label: 'Google Chat', fields: { url: secret, ...templates } },
  matrix: { label: 'Matrix', fields: { url: shown, room_id: shown, token: { ...secret, header: bearer }, ...templates } },
  signal: { label: 'Signal', fields: { url: shown, sender: shown, recipient: shown, ...templates } },
  ntfy: { label: 'ntfy', fields: { url: shown, topic: capability, token: { ...optionalSecret, header: bearer }, ...templates } },
  gotify: { label: 'Gotify', fields: { url: shown, token: { ...secret, header: { name: 'x-gotify-key' } }, ...templates } },
  pushover: { label: 'Pushover', fields: { user_key: secret, app_token: secret, ...templates } },
  home_assistant: {
    label: 'Home Assistant',
    fields: { url: shown, service: shown, token: { ...secret, header: bearer }, ...templates },
  },
  apprise: { label: 'Apprise', fields: { url: secret, tag: optional, ...templates } },
  twilio_sms: { label: 'SMS (Twilio)', fields: twilio },
  twilio_voice: { label: 'Phone call (Twilio)', fields: twilio },
  sns: { label: 'Amazon SNS', fields: { topic_arn: shown, access_key_id: shown, secret_access_key: secret, ...templates } },
  pagerduty: { label: 'PagerDuty', fields: { routing_key: secret, region: optional, ...templates } },
  opsgenie: {
    label: 'Opsgenie',
    fields: { api_key: { ...secret, header: { name: 'authorization', scheme: 'GenieKey' } }, region: optional, ...templates },
  },
  splunk_oncall: { label: 'Splunk On-Call', fields: { url: secret, ...templates } },
  grafana_oncall: { label: 'Grafana OnCall', fields: { url: secret, ...templates } },
  http: {
    label: 'HTTP request',
    fields: {
      url: secret,
      body_template: shown,
      method: optional,
      content_type: optional,
      authorization: { ...optionalSecret, header: { name: 'authorization' } },
    },
  },
} as const satisfies Record<string, { label: string; fields: Readonly<Record<string, ChannelField>> }>
export type ChannelType = keyof typeof CHANNEL_TYPES

/** By which a person is reached. */
export const CONTACT_METHOD_TYPES = ['email', 'telegram', 'ntfy', 'pushover'] as const satisfies readonly ChannelType[]

/** The texts that a `config` may have. */
export const CHANNEL_TEXTS = {
  url: {
    label: 'URL',
    maxLength: 2_048,
    description: 'a secret of chats, `apprise`, `splunk_oncall`, `grafana_oncall` and `http`; http or https, without credentials',
  },
  secret: {
    label: 'Signing secret',
    maxLength: 200,
    description: 'webhook: `whsec_` and base64 of 24 to 64 bytes; generated and returned once if it is not given',
  },
  to: { label: 'Email address', maxLength: 254, description: 'email: the address' },
  signing_secret: {
    label: 'Signing secret for buttons',
    maxLength: 200,
    description: 'slack: of the app that has the webhook; with it messages have buttons that act; a secret',
  },
  public_key: {
    label: 'Public key for buttons',
    maxLength: 64,
    description:
      'discord: of the application that has the webhook, 64 hexadecimal digits; with it messages have buttons that act',
  },
  webhook_secret: {
    label: 'Webhook secret for buttons',
    maxLength: 256,
    description: 'telegram: `secret_token` of the webhook of the bot; with it messages have buttons that act; a secret',
  },
  bot_token: { label: 'Bot token', maxLength: 200, description: 'telegram; a secret' },
  chat_id: { label: 'Chat ID', maxLength: 100, description: 'telegram' },
  message_thread_id: { label: 'Topic ID', maxLength: 20, description: 'telegram: the topic of a group with topics' },
  room_id: { label: 'Room ID', maxLength: 255, description: 'matrix: as `!abc:example.com`' },
  sender: {
    label: 'From',
    maxLength: 100,
    description: 'signal, twilio_sms, twilio_voice: the number that sends, as `+4915112345678`',
  },
  recipient: {
    label: 'To',
    maxLength: 100,
    description: 'signal: a number or the id of a group; twilio_sms, twilio_voice: a number',
  },
  service: {
    label: 'Notify action',
    maxLength: 100,
    description: 'home_assistant: what follows `notify.`, as `mobile_app_phone`',
  },
  tag: { label: 'Tag', maxLength: 100, description: 'apprise: only services with the tag; default: all' },
  account_sid: { label: 'Account SID', maxLength: 34, description: 'twilio_sms, twilio_voice' },
  auth_token: { label: 'Auth token', maxLength: 200, description: 'twilio_sms, twilio_voice; a secret' },
  topic_arn: { label: 'Topic ARN', maxLength: 300, description: 'sns: as `arn:aws:sns:eu-central-1:123456789012:alerts`' },
  access_key_id: { label: 'Access key ID', maxLength: 128, description: 'sns: of a user that may publish to the topic' },
  secret_access_key: { label: 'Secret access key', maxLength: 128, description: 'sns; a secret' },
  routing_key: { label: 'Integration key', maxLength: 200, description: 'pagerduty; a secret' },
  api_key: { label: 'API key', maxLength: 100, description: 'opsgenie: of an API integration; a secret' },
  region: {
    label: 'Service region',
    maxLength: 2,
    description: 'pagerduty, opsgenie, twilio_sms, twilio_voice: `us` (default) or `eu`',
  },
  topic: { label: 'Topic', maxLength: 200, description: 'ntfy' },
  token: { label: 'Token', maxLength: 400, description: 'ntfy (optional), gotify, matrix, home_assistant; a secret' },
  user_key: { label: 'User key', maxLength: 100, description: 'pushover; a secret' },
  app_token: { label: 'Application token', maxLength: 100, description: 'pushover; a secret' },
  method: { label: 'Method', maxLength: 4, description: 'http: `POST` (default) or `PUT`' },
  content_type: { label: 'Content type', maxLength: 100, description: 'http: of the body; default `application/json`' },
  authorization: { label: 'Authorization header', maxLength: 2_048, description: 'http: the whole value; a secret' },
  body_template: { label: 'Body (Liquid)', maxLength: 8_192, description: 'http: the body, a Liquid template' },
  title_template: {
    label: 'Title (Liquid)',
    maxLength: 1_024,
    description: 'all but webhook and http: a Liquid template for the title',
  },
  text_template: { label: 'Text (Liquid)', maxLength: 8_192, description: 'the same for the text below the title' },
} as const
export type ChannelText = keyof typeof CHANNEL_TEXTS

/** Fields that are Liquid templates; they may have several lines. */
export const TEMPLATE_FIELDS = ['title_template', 'text_template', 'body_template'] as const satisfies readonly ChannelText[]
export type TemplateField = (typeof TEMPLATE_FIELDS)[number]
