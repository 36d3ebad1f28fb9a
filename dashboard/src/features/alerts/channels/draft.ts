import type { Channel, ChannelConfig, CreateChannelBody, PatchChannelBody } from '@vedette/shared'

type Type = Channel['type']
type EventName = NonNullable<ChannelConfig['events']>[number]

interface FieldForm {
  name: Exclude<keyof ChannelConfig, 'events'>
  isRequired: boolean
  isSecret: boolean
}

const shown = (name: FieldForm['name']): FieldForm => ({ name, isRequired: true, isSecret: false })
const secret = (name: FieldForm['name']): FieldForm => ({ name, isRequired: true, isSecret: true })
const optional = (name: FieldForm['name']): FieldForm => ({ name, isRequired: false, isSecret: true })

/** What each kind takes, as the table of the API has it; a test holds both to be the same. */
export const CHANNEL_FORMS: Readonly<Record<Type, readonly FieldForm[]>> = {
  webhook: [shown('url'), optional('secret')],
  email: [shown('to')],
  slack: [secret('url')],
  discord: [secret('url')],
  teams: [secret('url')],
  telegram: [secret('bot_token'), shown('chat_id')],
  pagerduty: [secret('routing_key')],
  ntfy: [shown('url'), shown('topic'), optional('token')],
  gotify: [shown('url'), secret('token')],
  pushover: [secret('user_key'), secret('app_token')],
}
export const TYPES = Object.keys(CHANNEL_FORMS) as Type[]

/** What the API shows in place of a secret; sent back, it leaves the secret as it was. */
export const MASK = '•••'

export interface ChannelDraft {
  name: string
  type: Type
  enabled: boolean
  config: Readonly<Record<string, string>>
  /** Of a webhook; none: the steps of incidents. */
  events: readonly string[]
}

export const EMPTY_CHANNEL: ChannelDraft = { name: '', type: 'webhook', enabled: true, config: {}, events: [] }

export function channelDraftOf({ name, type, enabled, config: { events = [], ...config } }: Channel): ChannelDraft {
  return { name, type, enabled, config, events }
}

export function createBodyOf({ name, type, enabled, config, events }: ChannelDraft): CreateChannelBody {
  const filled = CHANNEL_FORMS[type].flatMap((field) => {
    const value = config[field.name]?.trim() ?? ''
    return value === '' ? [] : [[field.name, value] as const]
  })
  return {
    name: name.trim(),
    type,
    enabled,
    config: { ...Object.fromEntries(filled), ...(events.length > 0 ? { events: events as EventName[] } : {}) },
  }
}

/**
 * What was emptied is taken away. But the secret of a webhook: without one the backend makes another, and that is asked for by its own
 * button.
 */
export function patchBodyOf({ name, type, enabled, config, events }: ChannelDraft): PatchChannelBody {
  const fields = CHANNEL_FORMS[type].flatMap((field): [string, string | null][] => {
    const value = config[field.name]?.trim() ?? ''
    if (value !== '') return [[field.name, value]]
    return type === 'webhook' && field.isSecret ? [] : [[field.name, null]]
  })
  return {
    name: name.trim(),
    enabled,
    config: {
      ...Object.fromEntries(fields),
      ...(type === 'webhook' ? { events: events.length > 0 ? (events as EventName[]) : null } : {}),
    },
  }
}
