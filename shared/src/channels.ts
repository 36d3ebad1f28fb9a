import { type Static, Type } from 'typebox'
import { EVENT_TYPES, EventTypeName } from './events.ts'
import { IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

/** What a field of a channel's `config` is: whether the channel needs it, and whether it is ever shown again. */
export interface ChannelField {
  isRequired: boolean
  isSecret: boolean
}

const shown: ChannelField = { isRequired: true, isSecret: false }
const secret: ChannelField = { isRequired: true, isSecret: true }
const optionalSecret: ChannelField = { isRequired: false, isSecret: true }

/** The one table of channel types, with what each takes. The URLs of chats let whoever has them write: they are secrets. */
export const CHANNEL_TYPES = {
  webhook: { url: shown, secret: optionalSecret, events: { isRequired: false, isSecret: false } },
  email: { to: shown },
  slack: { url: secret },
  discord: { url: secret },
  teams: { url: secret },
  telegram: { bot_token: secret, chat_id: shown },
  pagerduty: { routing_key: secret },
  ntfy: { url: shown, topic: shown, token: optionalSecret },
  gotify: { url: shown, token: secret },
  pushover: { user_key: secret, app_token: secret },
} as const satisfies Record<string, Readonly<Record<string, ChannelField>>>
export type ChannelType = keyof typeof CHANNEL_TYPES

export const ChannelTypeName = Type.Enum(Object.keys(CHANNEL_TYPES) as ChannelType[], {
  $id: 'ChannelTypeName',
  description: 'What a channel sends to',
})

/** Stands for a secret that is not shown; sent back, it leaves the secret as it was. */
export const CHANNEL_MASK = '•••'

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

const Config = {
  url: text(2_048, 'webhook, ntfy, gotify; a secret of slack, discord, teams. http or https, without credentials'),
  secret: text(200, 'webhook: `whsec_` and base64 of 24 to 64 bytes; made and shown once where none is given'),
  to: text(254, 'email: the address'),
  bot_token: text(200, 'telegram; a secret'),
  chat_id: text(100, 'telegram'),
  routing_key: text(200, 'pagerduty; a secret'),
  topic: text(200, 'ntfy'),
  token: text(200, 'ntfy (optional), gotify; a secret'),
  user_key: text(100, 'pushover; a secret'),
  app_token: text(100, 'pushover; a secret'),
  events: Type.Array(Ref(EventTypeName), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    description: 'webhook: what it is told; the steps of incidents where it is left out',
  }),
}
export type ChannelConfigField = keyof typeof Config

export const ChannelConfig = Type.Partial(Type.Object(Config), {
  $id: 'ChannelConfig',
  description: 'What the type of the channel takes; secrets read `•••`',
})
export type ChannelConfig = Static<typeof ChannelConfig>

const OrNull = Object.fromEntries(Object.entries(Config).map(([name, schema]) => [name, Nullable(schema)])) as {
  [Name in ChannelConfigField]: ReturnType<typeof Nullable<(typeof Config)[Name]>>
}
export const ChannelConfigBody = Type.Partial(Type.Object(OrNull), {
  $id: 'ChannelConfigBody',
  description:
    'What the type of the channel takes. In a change, what is left out and `•••` stay as they were; null takes it away',
  additionalProperties: false,
})
export type ChannelConfigBody = Static<typeof ChannelConfigBody>

const Name = Type.String({ minLength: 1, maxLength: 200 })
const Enabled = Type.Boolean({ description: 'false: nothing is sent to it; default true' })

export const CreateChannelBody = Type.Object(
  { name: Name, type: Ref(ChannelTypeName), enabled: Type.Optional(Enabled), config: Ref(ChannelConfigBody) },
  { $id: 'CreateChannelBody', description: 'Where incidents are told', additionalProperties: false },
)
export type CreateChannelBody = Static<typeof CreateChannelBody>

export const PatchChannelBody = Type.Object(
  { name: Type.Optional(Name), enabled: Type.Optional(Enabled), config: Type.Optional(Ref(ChannelConfigBody)) },
  {
    $id: 'PatchChannelBody',
    description: 'Only what is named changes; the type stays',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchChannelBody = Static<typeof PatchChannelBody>

export const ChannelFault = Type.Object(
  {
    at: Timestamp,
    code: Type.String({ description: 'as of a test' }),
    message: Type.String({ description: 'in words, with what the service said; without secrets' }),
    attempts: Type.Integer({ description: 'tries in a row that were not taken, of all that is told' }),
  },
  { $id: 'ChannelFault', description: 'Why a channel took nothing when it was last tried' },
)
export type ChannelFault = Static<typeof ChannelFault>

export const Channel = Type.Object(
  {
    id: IdOf('channel'),
    name: Type.String(),
    type: Ref(ChannelTypeName),
    enabled: Type.Boolean(),
    config: Ref(ChannelConfig),
    created_at: Timestamp,
    last_error: Type.Union([Ref(ChannelFault), Type.Null()], {
      description: 'of the newest try, a test too; null once one was taken, and after a change of `config`',
    }),
  },
  { $id: 'Channel', description: 'Where incidents are told' },
)
export type Channel = Static<typeof Channel>

export const ChannelListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const ChannelList = Type.Object(
  { channels: Type.Array(Ref(Channel)), ...PageAnswer },
  { $id: 'ChannelList', description: 'A page of channels, newest first' },
)
export type ChannelList = Static<typeof ChannelList>

export const ChannelTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'whether the service took it; a mail: whether it was put into the outbox' }),
    status_code: Nullable(Type.Integer({ description: 'of the answer' })),
    answer: Nullable(Type.String({ maxLength: 1_000, description: 'the beginning of what the service said' })),
    error: Nullable(
      Type.Object({
        code: Type.String({
          description:
            '`dns`, `connect`, `tls`, `timeout`, `protocol`, `blocked`, `internal`: no answer, as in checks; `refused`: by the service; `not_set_up`: nothing here can send it',
        }),
        message: Type.String(),
      }),
    ),
  },
  { $id: 'ChannelTest', description: 'What became of a test' },
)
export type ChannelTest = Static<typeof ChannelTest>
