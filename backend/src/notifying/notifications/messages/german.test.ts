import { describe, expect, it } from 'vitest'
import { newId } from '../../../platform/ids.ts'
import { toMessage } from '../deliveries/deliver.ts'
import type { Delivery } from '../deliveries/store.ts'
import { openingOf } from './sample.ts'

const delivery = { id: newId(), created_at: new Date(0), payload: {} } as unknown as Delivery
const { incident } = openingOf().data
const TYPES = ['incident.opened', 'incident.flapping', 'incident.stable', 'incident.acknowledged', 'incident.resolved']

describe('a notification of an organization whose language is German', () => {
  it.each(TYPES)('of %s is German in its texts, and the same in its data', (type) => {
    const content = { type, data: { incident }, evidence: null, timeline: null }
    for (const group of [undefined, { total: 3, incidents: incident ? [incident] : [] }]) {
      const german = toMessage(delivery, { ...content, language: 'de' }, 'https://x', group)
      const english = toMessage(delivery, content, 'https://x', group)
      const text = [german.content.title, ...german.content.lines].join('\n')
      expect(text).not.toMatch(/\b(?:is|down|opened|incidents|severity|flapping|resolved|acknowledged|more|expected|still)\b/i)
      expect(german.content.tone).toBe(english.content.tone)
      expect(german.data).toEqual(english.data)
    }
  })

  it('says that an incident is still open', () => {
    const data = { incident, reminder: 1 }
    const { content } = toMessage(
      delivery,
      { type: 'incident.opened', data, evidence: null, timeline: null, language: 'de' },
      undefined,
    )
    expect(content.title).toBe('Noch offen: Shop "EU": ausgefallen: Status 503 (erwartet 200–399)')
    expect(content.lines).toContain('Schwere: kritisch')
  })
})
