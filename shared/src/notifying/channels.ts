import { type Static, type TString, Type } from 'typebox'
import { CHANNEL_TEXTS, CHANNEL_TYPES, type ChannelField, type ChannelText, type ChannelType } from './channel-types.ts'
import { EVENT_TYPES } from './event-types.ts'
import { EventTypeName } from './events.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

export const ChannelTypeName = Type.Enum(Object.keys(CHANNEL_TYPES) as ChannelType[], {
  $id: 'ChannelTypeName',
  description: 'The type of a channel',
})

/** Fields that at least one type keeps from readers. */
const CONFIDENTIAL = new Set(
  Object.values(CHANNEL_TYPES).flatMap(({ fields }) =>
    Object.entries<ChannelField>(fields).flatMap(([name, field]) => (field.isSecret || field.isCapability ? [name] : [])),
  ),
)

const texts = Object.entries(CHANNEL_TEXTS).map(([name, { maxLength, description }]) => [
  name,
  (CONFIDENTIAL.has(name) ? Secret : Type.String)({ minLength: 1, maxLength, description }),
])

const Config = {
  ...(Object.fromEntries(texts) as Record<ChannelText, TString>),
  events: Type.Array(Ref(EventTypeName), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    description: 'webhook: the event types that it receives; default: the steps of incidents',
  }),
}
export type ChannelConfigField = keyof typeof Config

export const ChannelConfig = Type.Partial(Type.Object(Config), {
  $id: 'ChannelConfig',
  description: 'The fields of the channel type; secrets are shown as `•••`',
  examples: [{ url: 'https://hooks.example.com/vedette', secret: '•••' }],
})
export type ChannelConfig = Static<typeof ChannelConfig>

const OrNull = Object.fromEntries(Object.entries(Config).map(([name, schema]) => [name, Nullable(schema)])) as {
  [Name in ChannelConfigField]: ReturnType<typeof Nullable<(typeof Config)[Name]>>
}
export const ChannelConfigBody = Type.Partial(Type.Object(OrNull), {
  $id: 'ChannelConfigBody',
  description: 'The fields of the channel type. In a PATCH, omitted fields and `•••` stay as they are; null removes a field',
  examples: [{ url: 'https://hooks.example.com/vedette' }],
  additionalProperties: false,
})
export type ChannelConfigBody = Static<typeof ChannelConfigBody>

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['On call'] })
const Enabled = Type.Boolean({ description: 'false: nothing is sent to it; default true' })

export const CreateChannelBody = Type.Object(
  { name: Name, type: Ref(ChannelTypeName), enabled: Type.Optional(Enabled), config: Ref(ChannelConfigBody) },
  { $id: 'CreateChannelBody', description: 'A channel that receives notifications', additionalProperties: false },
)
export type CreateChannelBody = Static<typeof CreateChannelBody>

export const PatchChannelBody = Type.Object(
  { name: Type.Optional(Name), enabled: Type.Optional(Enabled), config: Type.Optional(Ref(ChannelConfigBody)) },
  {
    $id: 'PatchChannelBody',
    description: 'Changes only the fields that are given; the type stays',
    examples: [{ enabled: false }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchChannelBody = Static<typeof PatchChannelBody>

const Template = Type.String({ minLength: 1, maxLength: 8_192 })

export const ChannelPreviewBody = Type.Object(
  {
    type: Ref(ChannelTypeName),
    title_template: Type.Optional({ ...Template, examples: ['{{ incident.severity | upcase }}: {{ title }}'] }),
    text_template: Type.Optional(Template),
    body_template: Type.Optional(Template),
    incident_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'default: the newest incident, or an example where there is none' }),
    ),
  },
  { $id: 'ChannelPreviewBody', description: 'Templates of a channel', additionalProperties: false },
)
export type ChannelPreviewBody = Static<typeof ChannelPreviewBody>

export const ChannelPreview = Type.Object(
  {
    incident_id: Nullable(Type.String({ description: 'null: the preview is of an example', examples: [exampleId('incident')] })),
    title: Type.String({ examples: ['CRITICAL: Shop is down: shop.example.com refused the connection'] }),
    text: Type.String({ description: 'lines below the title', examples: ['monitor: Shop'] }),
    body: Nullable(Type.String({ description: 'of an http channel' })),
    error: Nullable(Type.String({ description: 'why a template cannot be rendered: then the standard text is sent' })),
  },
  { $id: 'ChannelPreview', description: 'What a notification of an incident would say' },
)
export type ChannelPreview = Static<typeof ChannelPreview>

export const ChannelFault = Type.Object(
  {
    at: Timestamp,
    code: Type.String({ description: 'as in a test', examples: ['refused'] }),
    message: Type.String({
      description: 'with the answer of the service; without secrets',
      examples: ['the service answered 410: no such hook'],
    }),
    attempts: Type.Integer({ description: 'failed attempts in a row', examples: [3] }),
  },
  { $id: 'ChannelFault', description: 'The last failed delivery of a channel' },
)
export type ChannelFault = Static<typeof ChannelFault>

export const ChannelLastTest = Type.Object(
  { at: Timestamp, delivered: Type.Boolean({ examples: [true] }) },
  { $id: 'ChannelLastTest', description: 'The last test of a channel' },
)
export type ChannelLastTest = Static<typeof ChannelLastTest>

export const Channel = Type.Object(
  {
    id: IdOf('channel'),
    name: Type.String({ examples: ['On call'] }),
    type: Ref(ChannelTypeName),
    enabled: Type.Boolean({ examples: [true] }),
    config: Ref(ChannelConfig),
    managed: ManagedField,
    created_at: Timestamp,
    last_error: Type.Union([Ref(ChannelFault), Type.Null()], {
      description: 'of the last delivery or test; null after a success, and after a change of `config`',
    }),
    last_test: Type.Union([Ref(ChannelLastTest), Type.Null()], {
      description: 'of the saved channel; null before, and after a change of `config`',
    }),
    address_confirmed: Nullable(
      Type.Boolean({
        description: 'email: whether somebody has confirmed the address; false: it gets three mails a day. Null of other types',
        examples: [true],
      }),
    ),
  },
  { $id: 'Channel', description: 'A channel that receives notifications' },
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
    delivered: Type.Boolean({
      description: 'whether the service accepted it; for email: whether it is in the outbox',
      examples: [true],
    }),
    status_code: Nullable(Type.Integer({ description: 'of the response', examples: [204] })),
    answer: Nullable(Type.String({ maxLength: 1_000, description: 'the beginning of the response' })),
    error: Nullable(
      Type.Object({
        code: Type.String({
          description:
            '`dns`, `connect`, `tls`, `timeout`, `protocol`, `blocked`, `internal`: no response, as in checks; `refused`: by the service; `not_set_up`: this installation cannot send it',
        }),
        message: Type.String(),
      }),
    ),
  },
  { $id: 'ChannelTest', description: 'The result of a test message' },
)
export type ChannelTest = Static<typeof ChannelTest>
