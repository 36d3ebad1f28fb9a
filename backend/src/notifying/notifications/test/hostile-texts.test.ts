import { CHANNEL_TYPES, type ChannelType } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS, STEERING } from '../../../../test/outside-texts.ts'
import type { Mail } from '../../../platform/mail.ts'
import type { OutboundRequest } from '../messages/delivery.ts'
import { CHANNEL_KINDS } from '../kinds/index.ts'
import type { Message } from '../messages/message.ts'
import { groupText, incidentText, testText } from '../messages/texts.ts'

const AT = Date.parse('2026-11-21T09:24:31.000Z')

function messagesOf(name: string): Message[] {
  const about = {
    id: 'inc_01m7z4m0x9e8ztq5yfr3b6k2jh',
    rule_id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz',
    origin: { type: 'rule', id: 'alr_01m7ynqmvhfbxs9k5e3v0cr7tz' },
    labels: {},
    silenced: false,
  } as const
  const parts = { parent_id: null, story_id: null, cause: null, flapping: false } as const
  const times = {
    ...parts,
    opened_at: '2026-11-21T09:24:31.000Z',
    acknowledged_at: null,
    acknowledged_by: null,
    resolved_at: null,
  }
  const target = { type: 'monitor', id: 'mon_01m7z3vk2kewwbm06fcdra9ncd', name } as const
  const incident = { ...about, ...times, target, status: 'open', severity: 'critical', summary: `${name} is down` } as const
  const base = { id: 'msg_1', atMs: AT, link: 'https://vedette.example.com/incidents/1' }
  return [
    { ...base, type: 'incident.opened', data: { incident }, content: incidentText('incident.opened', incident, 0) },
    {
      ...base,
      type: 'incident.opened',
      data: { incident, incidents: [incident, incident], total: 30 },
      content: groupText('incident.opened', [incident, incident], 30),
    },
    { ...base, type: 'channel.test', data: {}, content: testText(name) },
  ]
}

/** The bodies and mails that a kind sends. */
async function sentBy(type: ChannelType, name: string): Promise<unknown[]> {
  const sent: unknown[] = []
  const send = async ({ body, headers }: OutboundRequest) => {
    const text = String(body)
    const fields = text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
    sent.push({ headers: Object.keys(headers), body: fields })
    return { status: 200, headers: {}, text: '' }
  }
  const targets = { to: 'ada@example.com', topic: 'a', chat_id: '1', room_id: '!a:b', topic_arn: 'arn:aws:sns:eu-west-1:1:a' }
  const config = { url: 'https://example.com', ...targets, bot_token: 'b', routing_key: 'c', body_template: '{{ title }}' }
  const mail = (one: Mail) => void sent.push(one)
  for (const message of messagesOf(name)) await CHANNEL_KINDS[type].deliver(config, message, { send, mail, nowMs: () => AT })
  return sent
}

type Texts = [path: string, text: string][]
const textsOf = (value: unknown, path = ''): Texts =>
  typeof value === 'string'
    ? [[path, value]]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => textsOf(part, `${path}.${name}`))
      : []

const tagsOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? []
const withoutEscapes = (text: string) => text.replaceAll(/\\./gsu, '')

/**
 * What each service would read as more than text, of each text that it gets. A new channel type does not compile without its line.
 * `harmless`: the same text of a message with a harmless name.
 */
const MARKUP: Readonly<Record<ChannelType, 'as data' | ((path: string, text: string, harmless: string) => unknown)>> = {
  // For programs, as JSON: a name is what it is.
  webhook: 'as data',
  email: (path, text, harmless) => path.endsWith('.html') && tagsOf(text).join('') !== tagsOf(harmless).join(''),
  // Only what is not `plain_text` is formatted; the two texts with markup have no name in them.
  slack: (path, text, harmless) => /<[^>]*>/.test(text) && text !== harmless && path !== '',
  discord: (_path, text, harmless) => text !== harmless && /[*_~`|<>[\]]/.test(withoutEscapes(text)),
  teams: (_path, text, harmless) => text !== harmless && /[*_`[\]]/.test(withoutEscapes(text)),
  telegram: (_path, text, harmless) => tagsOf(text).join('') !== tagsOf(harmless).join(''),
  // They show texts as they are.
  pagerduty: () => false,
  ntfy: () => false,
  gotify: () => false,
  pushover: () => false,
  home_assistant: () => false,
  signal: () => false,
  twilio_sms: () => false,
  sns: () => false,
  opsgenie: () => false,
  splunk_oncall: () => false,
  grafana_oncall: () => false,
  apprise: () => false,
  mattermost: (path, text, harmless) => isMarkdown(path, text, harmless),
  rocket_chat: (path, text, harmless) => isMarkdown(path, text, harmless),
  google_chat: (path, text, harmless) => path.includes('textParagraph') && tagsOf(text).join('') !== tagsOf(harmless).join(''),
  matrix: (path, text, harmless) => path.endsWith('.formatted_body') && tagsOf(text).join('') !== tagsOf(harmless).join(''),
  twilio_voice: (_path, text, harmless) => tagsOf(text).join('') !== tagsOf(harmless).join(''),
  // What the organization's own template makes.
  http: 'as data',
}

/** `fallback` is shown as it is; a mention needs a name right after the @. */
const isMarkdown = (path: string, text: string, harmless: string): boolean =>
  /@\w/.test(text) || (!path.endsWith('.fallback') && text !== harmless && /[*_~`|<>[\]#]/.test(withoutEscapes(text)))

const types = (Object.keys(CHANNEL_TYPES) as ChannelType[]).filter((type) => MARKUP[type] !== 'as data')

describe.each(types)('a channel of type %s', (type) => {
  const isMarkup = MARKUP[type]
  it.each(Object.entries(HOSTILE_TEXTS))('shows a name with %s as text', async (_what, name) => {
    const [texts, harmless] = [textsOf(await sentBy(type, name)), textsOf(await sentBy(type, 'Shop'))]
    expect(texts.map(([path]) => path)).toEqual(harmless.map(([path]) => path))
    for (const [index, [path, text]] of texts.entries()) {
      const plain = harmless[index]?.[1] ?? ''
      // A title that is cut because of its escapes is repeated in the description, on a line of its own.
      const more = type === 'discord' ? 1 : 0
      expect([path, text.split('\n').length <= plain.split('\n').length + more]).toEqual([path, true])
      expect([path, text.replaceAll('\n', '')]).not.toEqual([path, expect.stringMatching(STEERING)])
      expect(typeof isMarkup === 'function' && [path, text, isMarkup(path, text, plain)]).toEqual([path, text, false])
    }
  })
})

it('Slack formats no text with a name in it', async () => {
  for (const name of Object.values(HOSTILE_TEXTS)) {
    const formatted = textsOf(await sentBy('slack', name)).filter(([, text]) => text === 'mrkdwn')
    const harmless = textsOf(await sentBy('slack', 'Shop')).filter(([, text]) => text === 'mrkdwn')
    expect(formatted).toEqual(harmless)
    for (const [path] of formatted) expect(path).toContain('.elements.')
  }
})
