import { CHANNEL_TYPES, type Channel, EVENT_TYPES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { channels } from '../../messages/channels.ts'
import { messages } from '../../messages/index.ts'
import { channelFields } from '../../lib/channel-fields.ts'
import { NEW_CHANNEL, toChannelInput, toCreateBody, toPatchBody } from './input.ts'

const HOOK: Channel = {
  id: 'chn_1',
  name: 'On call',
  type: 'webhook',
  enabled: true,
  config: { url: 'https://hooks.example.com/vedette', secret: '•••', events: ['monitor.down'] },
  managed: null,
  created_at: '2026-11-21T09:13:38.000Z',
  last_error: null,
  last_test: null,
  address_confirmed: null,
}

describe('the channel editor', () => {
  it('has a label for each event, and a hint for no type that the API does not know', () => {
    const types = Object.keys(CHANNEL_TYPES)
    expect(Object.keys(channels.hints).filter((type) => !types.includes(type))).toEqual([])
    expect(Object.keys(messages.events)).toEqual(EVENT_TYPES)
  })

  it('shows each field of a type, with the events of a webhook apart from them', () => {
    const shown = Object.fromEntries(
      Object.keys(CHANNEL_TYPES).map((type) => [
        type,
        Object.fromEntries(channelFields(type).map(({ name, ...spec }) => [name, spec])),
      ]),
    )
    const all = Object.fromEntries(Object.entries(CHANNEL_TYPES).map(([type, { fields }]) => [type, fields]))
    const { events: _events, ...webhook } = CHANNEL_TYPES.webhook.fields
    expect(shown).toEqual({ ...all, webhook })
  })

  it('shows no fields for a type that the page does not know', () => {
    expect(channelFields('carrier-pigeon')).toEqual([])
  })

  it('keeps the secrets of a channel that is saved without changes', () => {
    expect(toPatchBody(toChannelInput(HOOK))).toEqual({ name: 'On call', enabled: true, config: HOOK.config })
  })

  it('removes emptied fields, but never the secret of a webhook', () => {
    const input = toChannelInput({ ...HOOK, type: 'ntfy', config: { url: 'https://ntfy.sh', topic: 'ops', token: '•••' } })
    expect(toPatchBody({ ...input, config: { ...input.config, token: '' } }).config).toEqual({
      url: 'https://ntfy.sh',
      topic: 'ops',
      token: null,
      title_template: null,
      text_template: null,
    })
    expect(toPatchBody({ ...toChannelInput(HOOK), config: { url: 'https://x.example' }, events: [] }).config).toEqual({
      url: 'https://x.example',
      events: null,
    })
  })

  it('sends no field of another channel type', () => {
    const config = { url: 'https://x.example', to: ' ops@example.com ' }
    expect(toCreateBody({ ...NEW_CHANNEL, name: ' Mail ', type: 'email', config })).toEqual({
      name: 'Mail',
      type: 'email',
      enabled: true,
      config: { to: 'ops@example.com' },
    })
  })
})
