import { describe, expect, it } from 'vitest'
import { newId } from '../../../platform/ids.ts'
import { toMessage } from '../deliveries/deliver.ts'
import type { Delivery } from '../deliveries/store.ts'
import { CHANNEL_KINDS as KINDS } from '../kinds/index.ts'
import { openingOf } from './sample.ts'
import { buttonsOf, linkTextOf } from './texts.ts'

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

  it('has German links and buttons', async () => {
    const content = { type: 'incident.opened', data: { incident }, evidence: null, timeline: null, language: 'de' } as const
    const message = { ...toMessage(delivery, content, 'https://x'), actionIncident: 'inc_1', actionLink: 'https://x/a' }
    expect(buttonsOf(message).map(({ text }) => text)).toEqual(['Quittieren', 'Pause 1 h', 'Lösen'])
    expect(linkTextOf(message)).toBe('In Vedette öffnen')
    for (const [name, kind] of Object.entries(KINDS)) {
      if (['webhook', 'http', 'apprise', 'opsgenie', 'pagerduty', 'splunk_oncall', 'sns'].includes(name)) continue // texts of programs
      const sent: string[] = []
      const send = async ({ body }: { body: string | Buffer | undefined }) => {
        sent.push(String(body))
        return { status: 200, headers: {}, text: '{"ok":true,"status":1}' }
      }
      const config = { url: 'https://x', signing_secret: 's', public_key: 'k', webhook_secret: 'w', to: 'a@x' }
      await kind.deliver(config, message, {
        send,
        mail: (mail: object) => sent.push(JSON.stringify(mail)),
        nowMs: () => 0,
      })
      expect([name, ...sent].join()).not.toMatch(/Acknowledge|Snooze|Resolve|Open in/)
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
