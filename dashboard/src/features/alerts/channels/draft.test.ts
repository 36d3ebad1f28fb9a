import { CHANNEL_MASK, CHANNEL_TYPES, type Channel, EVENT_TYPES } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { text } from '../../../messages/index.ts'
import { CHANNEL_FORMS, channelDraftOf, createBodyOf, EMPTY_CHANNEL, MASK, patchBodyOf, TYPES } from './draft.ts'

const HOOK: Channel = {
  id: 'chn_1',
  name: 'On call',
  type: 'webhook',
  enabled: true,
  config: { url: 'https://hooks.example.com/vedette', secret: '•••', events: ['monitor.down'] },
  created_at: '2026-11-21T09:13:38.000Z',
  last_error: null,
}

describe('the editor of channels', () => {
  it('asks for what the API takes, neither more nor less', () => {
    const forms = Object.fromEntries(
      TYPES.map((type) => [
        type,
        Object.fromEntries(CHANNEL_FORMS[type].map(({ name, isRequired, isSecret }) => [name, { isRequired, isSecret }])),
      ]),
    )
    const { events: _chosenBesideThem, ...webhook } = CHANNEL_TYPES.webhook
    expect(forms).toEqual({ ...CHANNEL_TYPES, webhook })
    expect(MASK).toBe(CHANNEL_MASK)
  })

  it('has words for each kind, field and event', () => {
    const { types, hints, fields, eventNames } = text.alerts.channels
    expect([Object.keys(types), Object.keys(hints)]).toEqual([TYPES, TYPES])
    const names = new Set(TYPES.flatMap((type) => CHANNEL_FORMS[type].map(({ name }) => name)))
    expect([...names].filter((name) => fields[name] === undefined)).toEqual([])
    expect(Object.keys(eventNames)).toEqual(EVENT_TYPES)
  })

  it('keeps the secrets of a channel that is opened and saved', () => {
    expect(patchBodyOf(channelDraftOf(HOOK))).toEqual({ name: 'On call', enabled: true, config: HOOK.config })
  })

  it('takes away what was emptied, and never the secret of a webhook', () => {
    const draft = channelDraftOf({ ...HOOK, type: 'ntfy', config: { url: 'https://ntfy.sh', topic: 'ops', token: '•••' } })
    expect(patchBodyOf({ ...draft, config: { ...draft.config, token: '' } }).config).toEqual({
      url: 'https://ntfy.sh',
      topic: 'ops',
      token: null,
    })
    expect(patchBodyOf({ ...channelDraftOf(HOOK), config: { url: 'https://x.example' }, events: [] }).config).toEqual({
      url: 'https://x.example',
      events: null,
    })
  })

  it('sends nothing of a field of another kind', () => {
    const config = { url: 'https://x.example', to: ' ops@example.com ' }
    expect(createBodyOf({ ...EMPTY_CHANNEL, name: ' Mail ', type: 'email', config })).toEqual({
      name: 'Mail',
      type: 'email',
      enabled: true,
      config: { to: 'ops@example.com' },
    })
  })
})
