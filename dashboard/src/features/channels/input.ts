import type { Channel, CreateChannelBody, PatchChannelBody } from '@vedette/shared'
import type { ChannelType, EventType } from '@vedette/shared/tables'
import { channelFields } from '../../lib/channel-fields.ts'

export interface ChannelInput {
  name: string
  type: ChannelType
  enabled: boolean
  config: Readonly<Record<string, string>>
  /** Of a webhook; empty: incidents only. */
  events: readonly string[]
}

export const NEW_CHANNEL: ChannelInput = { name: '', type: 'webhook', enabled: true, config: {}, events: [] }

export function toChannelInput({ name, type, enabled, config: { events = [], ...config } }: Channel): ChannelInput {
  return { name, type, enabled, config, events }
}

export function toCreateBody({ name, type, enabled, config, events }: ChannelInput): CreateChannelBody {
  const filled = channelFields(type).flatMap((field) => {
    const value = config[field.name]?.trim() ?? ''
    return value === '' ? [] : [[field.name, value] as const]
  })
  return {
    name: name.trim(),
    type,
    enabled,
    config: { ...Object.fromEntries(filled), ...(events.length > 0 ? { events: events as EventType[] } : {}) },
  }
}

/** Fields that were emptied are removed, except the secret of a webhook: removing that one creates another, which has its own button. */
export function toPatchBody({ name, type, enabled, config, events }: ChannelInput): PatchChannelBody {
  const fields = channelFields(type).flatMap((field): [string, string | null][] => {
    const value = config[field.name]?.trim() ?? ''
    if (value !== '') return [[field.name, value]]
    return type === 'webhook' && field.isSecret ? [] : [[field.name, null]]
  })
  return {
    name: name.trim(),
    enabled,
    config: {
      ...Object.fromEntries(fields),
      ...(type === 'webhook' ? { events: events.length > 0 ? (events as EventType[]) : null } : {}),
    },
  }
}
